"""The physical world on the bench: cards, the dealer's hands, the sensors, and the firmware's VM."""
