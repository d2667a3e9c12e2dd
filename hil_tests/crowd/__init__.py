"""A crowd: random people act at random moments at real shoes, gateway, broker and floor; a judge knows what is true."""
