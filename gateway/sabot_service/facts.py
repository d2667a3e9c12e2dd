"""Facts: what the check of a daemon's config has found."""

from typing import Literal, NamedTuple

Status = Literal["ok", "warning", "wrong"]


class Fact(NamedTuple):
    """One thing that was checked; `says` has the next step where it is wrong."""

    status: Status
    subject: str
    says: str
