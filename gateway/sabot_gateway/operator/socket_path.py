"""Socket path: where the daemon of a config listens; for a client that may read the config and no file it names."""

import tomllib
from pathlib import Path

from sabot_gateway.operator.groups import to_join

_MOST_BYTES = 1 << 20


class SocketPathError(ValueError):
    """The config does not say where the socket is; the message says why and what to do."""


def socket_path(config: Path) -> Path:
    """`control` of a config, or `control.sock` beside its ledger; nothing else in it is looked at."""
    try:
        with config.open("rb") as file:
            data = tomllib.loads(file.read(_MOST_BYTES).decode())
    except PermissionError:
        raise SocketPathError(
            f"{config}: Permission denied: {to_join(config)} to read it, or give the socket with --control PATH."
        ) from None
    except OSError as error:
        raise SocketPathError(
            f"{config}: {error.strerror}; give the gateway's TOML file with --config, or the socket with --control"
        ) from error
    except (ValueError, RecursionError) as error:
        raise SocketPathError(f"{config}: {error}; correct it there, or give the socket with --control") from error
    directory, control, ledger = config.resolve().parent, data.get("control"), data.get("ledger")
    if isinstance(control, str):
        return directory / control
    if isinstance(ledger, str):
        return (directory / ledger).with_name("control.sock")
    raise SocketPathError(f"{config}: neither control nor ledger is given there; give the socket with --control")
