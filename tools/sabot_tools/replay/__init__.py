"""Replay: a recording through firmware, gateway and broker, compared with its sidecar."""
