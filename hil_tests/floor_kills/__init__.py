"""Kills on a floor: many tables play while its parts are killed; the meters must equal the arithmetic."""
