"""Verify: an independent reading of the shoe's log; what the shoe says and what the rules give must agree."""

from sabot_gateway.verify.alarms.book import NotThereError
from sabot_gateway.verify.records import Record, Source
from sabot_gateway.verify.verifier import Verifier

__all__ = ["NotThereError", "Record", "Source", "Verifier"]
