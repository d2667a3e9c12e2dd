"""Line: simulated serial lines, one with faults and one with a baud rate."""
