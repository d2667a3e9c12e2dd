"""The shoe: samples -> marks -> card -> coup -> event journal -> frame -> serial."""
