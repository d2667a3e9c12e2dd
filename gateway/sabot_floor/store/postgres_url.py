"""The URL of a PostgreSQL store, and texts about it without its password."""

import os
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from sabot_floor.store.chain import StoreError

_SECRETS = ("password", "sslpassword")
_UNREADABLE = (
    "the URL of the store cannot be read; expected postgresql://user:password@host:5432/database. Write / ? # @ : % in "
    "a password as %2F %3F %23 %40 %3A %25, or leave it out and put it into the file ~/.pgpass"
)


class PostgresUrl:
    """The settings in a URL; `shown` is the URL without what is secret."""

    def __init__(self, url: str) -> None:
        try:
            settings: dict[str, Any] = conninfo_to_dict(url)
        except (psycopg.Error, UnicodeError, ValueError):
            raise StoreError(_UNREADABLE) from None  # the first error shows a part of the URL
        self.settings = {name: value for name, value in settings.items() if value is not None}
        host, port, database = (str(self.settings.get(name, "")) for name in ("host", "port", "dbname"))
        if "@" in host + database or (port and not port.replace(",", "").isdecimal()):
            raise StoreError(_UNREADABLE)  # a part of the password may be in the wrong place
        user = f"{self.settings['user']}@" if "user" in self.settings else ""
        self.shown = self.without_secrets(f"postgresql://{user}{host}{':' if port else ''}{port}/{database}")

    def __repr__(self) -> str:
        return f"PostgresUrl({self.shown})"

    def without_secrets(self, text: str) -> str:
        """Return a text without any password of the URL or the environment."""
        secrets = [str(self.settings[name]) for name in _SECRETS if self.settings.get(name)]
        secrets += [secret for name in ("PGPASSWORD", "PGSSLPASSWORD") if (secret := os.environ.get(name))]
        for secret in secrets:
            for form in (secret, quote(secret, safe="")):
                text = text.replace(form, "…")
        return text
