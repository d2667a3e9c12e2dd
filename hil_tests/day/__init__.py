"""A day: a simulated casino on real firmware, gateways and broker; reports are compared with what was done."""
