"""Angel Eye: an emulated Angel Eye II-EX with its serial line and its dealer, built from public facts alone."""
