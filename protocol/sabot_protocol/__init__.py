"""What shoe, gateway, simulator and tools agree on: cards, code words, messages, framing, topics, rulebooks."""
