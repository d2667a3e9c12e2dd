"""Views: site and time → everything that a page shows, ready to draw; one file for each channel, all pure."""
