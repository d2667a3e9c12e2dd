"""Data: what pages ask for beside their channels: from the store, and of the rulebooks."""
