"""Jackpots of a floor: intake of messages, the engine, requests of people, and what is published."""
