"""Reports of a day, a month, a shoe, a coup and a person, read from the store of the floor service."""
