"""Options that several actions share."""
