"""A day of a table on the pages that show it: the memory of each page must not grow."""
