"""Random shoes with irregularities, faults and power cuts: the shoe does what it names, and the gateway agrees."""
