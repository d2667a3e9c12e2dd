"""Forecast: the wear of a shoe over its last shoes, and when a part of it will fail."""
