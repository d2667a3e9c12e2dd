"""Stand-in: an object with other methods in place of some of its own."""

from collections.abc import Callable
from typing import Any


class StandIn:
    """Everything that is not given is the object's own, also what is set."""

    def __init__(self, of: object, **methods: Callable[..., Any]) -> None:
        self.__dict__.update(_of=of, _methods=methods)

    def __getattr__(self, name: str) -> Any:
        return self._methods[name] if name in self._methods else getattr(self._of, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._of, name, value)
