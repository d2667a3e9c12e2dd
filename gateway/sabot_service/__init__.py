"""Service: what every daemon needs: broker, control socket, signals, log, metrics, rate limits."""
