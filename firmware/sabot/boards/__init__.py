"""The only modules that touch hardware, or what stands for it."""
