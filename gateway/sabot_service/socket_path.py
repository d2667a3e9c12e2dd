"""Socket path: find the daemon's socket from its config, without reading the secrets that the config names."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sabot_service.daemons import Daemon
from sabot_service.groups import group_to_join

_MOST_BYTES = 1 << 20


class SocketPathError(ValueError):
    """The config does not give the socket's path; the message says why and what to do."""


def socket_path(config: Path, daemon: Daemon, default: Callable[[dict[str, Any]], str | None]) -> Path:
    """Return `control` of a config, or what `default` makes of its other keys; relative to the config."""
    try:
        with config.open("rb") as file:
            data = tomllib.loads(file.read(_MOST_BYTES).decode())
    except PermissionError:
        raise SocketPathError(
            f"{config}: Permission denied: join group `{group_to_join(config)}` to read it, or name the socket with "
            "--control PATH."
        ) from None
    except OSError as error:
        raise SocketPathError(
            f"{config}: {error.strerror}; name the {daemon.name}'s TOML file with --config, or its socket with "
            "--control"
        ) from error
    except (ValueError, RecursionError) as error:
        raise SocketPathError(f"{config}: {error}; correct the file, or name the socket with --control") from error
    control = data.get("control")
    path = control if isinstance(control, str) else default(data)
    if path is None:
        raise SocketPathError(
            f"{config}: it has neither `control` nor `{daemon.record}`; add one, or name the socket with --control"
        )
    return config.resolve().parent / path
