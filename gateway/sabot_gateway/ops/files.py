"""Files: which files of a gateway are whose, and who may read and change them."""

from collections.abc import Iterator
from pathlib import Path

from sabot_service.facts import Fact
from sabot_service.file_modes import Guarded, mode_facts, public, secret

from sabot_gateway.config import Config
from sabot_gateway.ledger.files import sidecar_path


def file_facts(path: Path, config: Config) -> Iterator[Fact]:
    """Yield the modes and owners of config, keys, secrets, ledger and socket."""
    ledger, login = Path(config.ledger), config.login
    yield from mode_facts(
        [
            Guarded(path.absolute().parent, 0o755),
            *public(path),
            *public(config.jackpots),
            *public(config.floor_key),
            *public(login.ca_file),
            *public(login.certificate_file),
            *secret(login.password_file),
            *secret(login.key_file),
            *secret(config.jackpot_key),
            *([Guarded(Path(config.keys), 0o700)] if config.keys is not None else []),
            Guarded(ledger.absolute().parent, 0o755),
            *(Guarded(one, 0o640) for one in (ledger, *(sidecar_path(ledger, end) for end in ("wal", "shm")))),
            *secret(sidecar_path(ledger, "key")),
            Guarded(config.control_path(), 0o660),
        ],
        ledger.absolute().parent,
    )
