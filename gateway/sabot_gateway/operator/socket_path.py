"""Socket path of the gateway: `control` of its config, or `control.sock` in the directory of its ledger."""

from pathlib import Path
from typing import Any

from sabot_service import socket_path as service
from sabot_service.daemons import GATEWAY


def socket_path(config: Path) -> Path:
    """Return where the gateway of this config listens; SocketPathError if the config does not give it."""
    return service.socket_path(config, GATEWAY, _beside_ledger)


def _beside_ledger(data: dict[str, Any]) -> str | None:
    ledger = data.get("ledger")
    return str(Path(ledger).parent / "control.sock") if isinstance(ledger, str) else None
