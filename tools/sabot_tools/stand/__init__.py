"""A stand: what runs on this machine beside the code under test: broker, daemon, shoes, subscribers, boards."""
