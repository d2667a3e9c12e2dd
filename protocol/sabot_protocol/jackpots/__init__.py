"""Jackpots: what the gateway and the floor service share: parameters, triggers, contributions, messages."""
