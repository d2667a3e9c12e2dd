"""Shoe: bytes of a serial line become events; acknowledgements and commands go back."""
