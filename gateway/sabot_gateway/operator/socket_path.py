"""Socket path: find the daemon's socket from its config, without reading the secrets that the config names."""

import tomllib
from pathlib import Path

from sabot_gateway.operator.groups import group_to_join

_MOST_BYTES = 1 << 20


class SocketPathError(ValueError):
    """The config does not give the socket's path; the message says why and what to do."""


def socket_path(config: Path) -> Path:
    """Return `control` of a config, or `control.sock` in the directory of its ledger; ignore all other keys."""
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
            f"{config}: {error.strerror}; name the gateway's TOML file with --config, or its socket with --control"
        ) from error
    except (ValueError, RecursionError) as error:
        raise SocketPathError(f"{config}: {error}; correct the file, or name the socket with --control") from error
    directory, control, ledger = config.resolve().parent, data.get("control"), data.get("ledger")
    if isinstance(control, str):
        return directory / control
    if isinstance(ledger, str):
        return (directory / ledger).with_name("control.sock")
    raise SocketPathError(
        f"{config}: it has neither `control` nor `ledger`; add one, or name the socket with --control"
    )
