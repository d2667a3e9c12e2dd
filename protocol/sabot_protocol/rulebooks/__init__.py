"""The five casinos' rulebooks: one TOML file each, their types in model.py, their loader in loader.py."""

from sabot_protocol.rulebooks.loader import ids, load, parse
from sabot_protocol.rulebooks.model import Rulebook, RulebookError

__all__ = ["Rulebook", "RulebookError", "ids", "load", "parse"]
