"""The example config that `sabot gateway init` writes, with the ports of this PC in it."""

from pathlib import Path

_PORT = 'port = "/dev/ttyACM0"\n'
_MOST_SHOWN = 32


def directory() -> Path:
    """Return the examples: of this checkout, or as the wheel carries them."""
    installed = Path(__file__).parents[1] / "examples"
    return installed if installed.exists() else Path(__file__).resolve().parents[2] / "examples"


def text(found: list[str]) -> str:
    """Return the example; the first port that was found is the first table's, the others are listed beside it."""
    example = (directory() / "gateway.toml").read_text(encoding="utf-8")
    shown = "".join(f"#   {port}\n" for port in found[:_MOST_SHOWN])
    ports = f'# Found on this PC:\n{shown}port = "{found[0]}"\n' if found else f"# None was found on this PC.\n{_PORT}"
    return example.replace(_PORT, ports)
