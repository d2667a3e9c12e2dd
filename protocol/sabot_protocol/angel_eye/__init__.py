"""The line of an Angel Eye II-EX shoe: bytes to messages and back, without input or output.

Made from public facts and notes of others. No recording of a real shoe exists and no part was tried on hardware.
"""
