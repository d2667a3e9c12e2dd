"""The world: a seeded day of a casino, and what the simulator knows it caused."""
