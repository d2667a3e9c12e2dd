"""Jackpots at the command line: lines of a replay, and the replayer that answers them."""
