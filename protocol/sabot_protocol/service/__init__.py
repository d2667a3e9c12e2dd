"""Service: what every daemon needs: broker, control socket, config file, secrets, signals, log, limits."""
