"""Condition: whether the shoe is locked or in error, as far as its messages prove it; and what is not known."""

from typing import cast

from sabot_protocol.angel_eye.messages import Message

from sabot_gateway.angel_eye.steps import ErrorCleared, ErrorRaised, LockChanged, Step


class Condition:
    """Lock and standing error of one shoe; unknown after every start and every connect."""

    def __init__(self) -> None:
        self.locked: bool | None = None  # None: unknown
        self.error: str | None = None  # the standing one, by its name
        self.error_known = False

    def forget(self) -> None:
        """The shoe started, or the line was opened: nothing is known."""
        self.locked = self.error = None
        self.error_known = False

    def follow(self, message: Message) -> None:
        """Take a message of the shoe for what it proves, whatever coup is open."""
        match message.t:
            case "S":
                self.forget()
            case "E":
                self.raised(message, None)
            case "e":
                self.cancelled(message)
            case "L":
                self.key(message)

    def stopped(self) -> bool:
        """Return True if nobody draws, as far as is known: the shoe stands in error, or is locked."""
        return bool(self.error or self.locked)

    def raised(self, message: Message, n: int | None) -> list[Step]:
        """`E`: an error in error mode stands until it is cleared; `n` is the open coup."""
        code, error, standing = cast("int", message.code), cast("str", message.error), bool(message.in_error_mode)
        if standing:
            self.error, self.error_known = error, True
        return [ErrorRaised(code, error, standing, n)]

    def cancelled(self, message: Message) -> list[Step]:
        """`e`: no error stands, whatever the code."""
        self.error, self.error_known = None, True
        return [ErrorCleared(cast("int", message.code), cast("str", message.error))]

    def key(self, message: Message) -> list[Step]:
        """`L`: the key at the shoe locked or unlocked."""
        self.locked = bool(message.locked)
        return [LockChanged(self.locked, "key")]

    def commanded(self, locked: bool) -> list[Step]:
        """The shoe acknowledged a lock or unlock command; it sends no `L` for it."""
        self.locked = locked
        return [LockChanged(locked, "command")]
