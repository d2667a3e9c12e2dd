"""Config: any bytes as gateway.toml, floor.toml, jackpots.toml, a key file, a password file or a file of languages.

The first byte chooses the file, the rest is in it. It is refused with sentences that name the file, and nothing else.
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random

from sabot_floor import config as floor_config
from sabot_floor.web import languages
from sabot_gateway import config as gateway_config
from sabot_gateway.shoe.keys import KeyRing
from sabot_protocol.command_keys import read_public, read_signing
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.inputs.secret_file import SecretError, read_key, secret
from sabot_protocol.jackpots import loading
from sabot_service.broker import Login, LoginError

from fuzzing import scratch
from fuzzing.oracle import require

MOST_BYTES = 8192
_EXAMPLES = Path(__file__).parents[3] / "gateway" / "examples"
_UNIT = "5ab0000000000001"
_MARK = b"zQ7xK2lW9rT4"  # behind a secret; files of secrets with an odd length have it
_VALUES = (
    b'0', b'-1', b'1e400', b'nan', b'9223372036854775808', b'true', b'[]', b'[[]]', b'{}', b'{a = 1}', b'""', b'"x"',
    b'"\\u0007"', b'"\\ud7ff"', b'"mqtt://[::1"', b'"mqtts://a:b@c:99999"', b'"mqtt://\\u2100"', b'"/dev/null"',
    b'"/"', b'"postgresql://x:y@z:a/b"', b'"."', b'"socket://[::1"', b'"rfc2217://h:99999999"', b'"socket://h:x"',
    b'"[::1]:80"', b'"127.0.0.1:99999"', b'1979-05-27', b'07:32:00', b'1979-05-27T07:32:00Z', b'"24:00"',
    b'"Mars/Olympus"', b'"../x"', b'["x", 1]', b'"star-rapid"', b'"nz-baccarat"', b'"angel-eye"', b'["tie", "tie"]',
    b'{dealing = "face_up"}', b'"' + b"a" * 300 + b'"',
)  # fmt: skip


def _gateway(path: Path) -> None:
    gateway_config.offer_problems(gateway_config.load(path))


def _keys(path: Path) -> None:
    path.rename(path.with_name(f"{_UNIT}.key"))
    KeyRing(path.parent).units()
    KeyRing(path.parent).keys(_UNIT)


def _password(path: Path) -> None:
    Login(user="gateway", password_file=str(path)).password()


def _language(path: Path) -> None:
    path.rename(path.with_name("xx.toml"))
    languages.load(path.parent)


_READERS: tuple[tuple[str, Callable[[Path], object]], ...] = (
    ("gateway.toml", _gateway),
    ("floor.toml", floor_config.load),
    ("jackpots.toml", loading.load),
    ("shoe.key", _keys),
    ("jackpot.key", read_key),
    ("floor.key", read_signing),
    ("floor.pub", read_public),
    ("password", _password),
    ("secret", lambda path: secret(path, 256)),
    ("xx.toml", _language),
)


def run(data: bytes) -> None:
    """A file is read, or refused with sentences; what is in a file of a secret is in none of them."""
    name, read = _READERS[data[0] % len(_READERS) if data else 0]
    path, content = scratch.directory("config") / name, data[1:]
    if not name.endswith(".toml") and len(content) % 2:
        content += _MARK
    for old in path.parent.iterdir():
        old.unlink()
    path.write_bytes(content)
    path.chmod(0o600)
    try:
        read(path)
    except (ConfigError, SecretError, LoginError, languages.LanguageError) as error:
        _check_sentences(str(error))


def _check_sentences(said: str) -> None:
    lines = said.split("\n")
    require(all(lines) and len(said) < 200_000, f"no sentences: {said[:200]!r}")
    require(all(line.isprintable() for line in lines), f"cannot be printed: {said[:200]!r}")
    require(_MARK.decode() not in said, f"a secret is in the error: {said[:200]!r}")


def mutate(data: bytes, most: int, seed: int) -> bytes | None:
    """Return another TOML file: a line is left out, comes twice, comes from an example, or has another value."""
    if data[:1] not in (b"\0", b"\1", b"\2", b"\x09"):
        return None
    chance, lines = Random(seed), data[1:].split(b"\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        at, act = chance.randrange(len(lines)), chance.random()
        key, equals, _ = lines[at].partition(b"=")
        if act < 0.6 and equals:
            lines[at] = key + b"= " + chance.choice(_VALUES)
        elif act < 0.7:
            lines[at : at + 1] = [lines[at]] * chance.choice((0, 2))
        else:
            lines.insert(at, chance.choice(_example_lines()))
        lines = lines or [b""]
    return (data[:1] + b"\n".join(lines))[:most]


@cache
def _example_lines() -> list[bytes]:
    texts = [path.read_bytes() for path in sorted(_EXAMPLES.glob("*.toml"))]
    return sorted({line.lstrip(b"# ") for text in texts for line in text.split(b"\n") if b"=" in line or b"[" in line})


def seeds() -> Iterable[bytes]:
    """The examples, keys and passwords."""
    for number, (name, _) in enumerate(_READERS):
        example = _EXAMPLES / name
        if example.is_file():
            yield bytes([number]) + example.read_bytes()[: MOST_BYTES - 1]
    table = b'[[table]]\nname = "bac-01"\nport = "socket://127.0.0.1:1"\nrulebook = "star-baccarat"\n'
    yield b'\0site = "sydney"\nledger = "l.db"\nbroker = "mqtt://127.0.0.1"\n[login]\nuser = "x"\n' + table
    yield b'\1site = "sydney"\nstore = "f.db"\nbroker = "mqtt://[::1]:1883"\n[web]\nlisten = "127.0.0.1:0"\n'
    yield b'\1site = "sydney"\nstore = "f.db"\nbroker = "mqtt://a"\n[[notify]]\nkind = "syslog"\nname = "pit"\n'
    yield b'\1site = "sydney"\nstore = "postgresql://a:b@c/d"\nbroker = "mqtt://a"\n[[table]]\nname = "bac-01"\n'
    for number in range(3, 9):
        yield bytes([number]) + b"5a" * 32 + b"\n"
    yield b"\0a = " + b"[" * 2000
    yield b'\x09"wall.title" = "Tables"\n'
