"""People: who may log in at the floor service, with which roles; a hash-chained log of every change and log-in."""
