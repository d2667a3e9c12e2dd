"""Secrets that people give: without echo at a terminal, else a line of stdin; never from the command line."""

import getpass
import sys

from sabot_tools.stand.daemon import fail

MOST_CHARACTERS = 128


def ask_secret(what: str) -> str:
    """Return a PIN, a password or a badge's code; print an error and exit if there is none."""
    secret = _typed(f"{what}: ") if sys.stdin.isatty() else sys.stdin.readline(MOST_CHARACTERS + 2)
    secret = secret.rstrip("\r\n")
    if not secret or len(secret) > MOST_CHARACTERS:
        fail(f"{what}: expected 1 to {MOST_CHARACTERS} characters, typed at the prompt or as a line of stdin")
    return secret


def ask_login(person: str) -> dict[str, str]:
    """Return how a person logs in at the floor service; `badge`: the badge shows who it is."""
    what = "Badge" if person == "badge" else f"PIN, password or badge of {person}"
    return {"person": person, "secret": ask_secret(what)}


def ask_new_secret(what: str) -> str:
    """Return a new secret; at a terminal it is typed twice."""
    secret = ask_secret(what)
    if sys.stdin.isatty() and ask_secret(f"{what}, again") != secret:
        fail("the two are different; nothing was changed, try again")
    return secret


def _typed(prompt: str) -> str:
    try:
        return getpass.getpass(prompt)
    except EOFError:
        return ""
