"""The shoe: samples -> marks -> card -> coup -> event journal -> frame -> serial."""

import gc

if hasattr(gc, "threshold"):  # early and often: what stays must not lie scattered between garbage
    gc.threshold(8192)
