"""Rulebooks (The Star three, Crown, New Zealand): a TOML file each; types in model.py, loader in loader.py."""

from sabot_protocol.rulebooks.loader import ids, in_order, load, parse
from sabot_protocol.rulebooks.model import Rulebook, RulebookError

__all__ = ["Rulebook", "RulebookError", "ids", "in_order", "load", "parse"]
