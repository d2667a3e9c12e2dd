"""Stand: the processes of some tables on this machine."""
