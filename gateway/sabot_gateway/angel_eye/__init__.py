"""Angel Eye: a table whose shoe is an Angel Eye II-EX, on its serial line."""
