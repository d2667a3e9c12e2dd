"""Line: a serial line that loses, repeats and delays bytes."""
