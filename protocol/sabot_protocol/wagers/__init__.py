"""Settlement: predicates are code (bets), prices are data (rulebooks), and a Table puts them together."""
