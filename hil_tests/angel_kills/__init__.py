"""Kills of a gateway with many Angel Eye tables: nothing is lost that two of three copies brought."""
