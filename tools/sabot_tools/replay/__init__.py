"""Replay: plays a recording through firmware, gateway and broker, and compares the result with its sidecar."""
