"""Files: which files of a floor service are whose, and who may read and change them."""

from collections.abc import Iterator
from pathlib import Path

from sabot_service.facts import Fact
from sabot_service.file_modes import Guarded, mode_facts, public, secret

from sabot_floor.config import Config


def file_facts(path: Path, config: Config) -> Iterator[Fact]:
    """Yield the modes and owners of config, secrets, store and socket."""
    login, web, socket = config.login, config.web, config.control_path().absolute()
    of_server = "://" in config.store
    data = socket.parent if of_server else Path(config.store).absolute().parent
    yield from mode_facts(
        [
            Guarded(path.absolute().parent, 0o755),
            *public(path),
            *public(config.jackpots),
            *public(login.ca_file),
            *public(login.certificate_file),
            *public(web.certificate if web is not None else None),
            *secret(login.password_file),
            *secret(login.key_file),
            *secret(config.jackpot_key),
            *secret(config.floor_key),
            *secret(web.key if web is not None else None),
            Guarded(data, 0o755),
            *([] if of_server else [Guarded(Path(config.store), 0o640)]),
            Guarded(socket, 0o660),
        ],
        data,
    )
