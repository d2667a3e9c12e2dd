"""sabot shoe: a simulated shoe on a line that your own gateway can open: our own, or an emulated Angel Eye."""

import re

import typer
from sabot_protocol import rulebooks
from sabot_protocol.firmware import read_public
from sabot_service.signals import Signals

from sabot_tools.options import shoe as options
from sabot_tools.options.rulebook import table_settings
from sabot_tools.text.errors import failure
from sabot_tools.text.macs import read_key

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot shoe --rulebook crown-baccarat --speed 10
Example: sabot shoe --pty /tmp/shoe-1 --state shoe-1 --mishaps
Example: sabot shoe --tcp 7001 --speed 20 --rest 60
Example: sabot shoe --tcp 7001 --unit 5ab0000000000002 --key key.bin --coups 20
Example: sabot shoe --tcp 7001 --firmware-key publisher/firmware.pub --rest 120
Example: sabot shoe --kind angel-eye --tcp 4001 --speed 10
Example: sabot shoe --kind angel-eye --pty /tmp/angel-eye --mishaps --bad-line 0.1
"""

_UNIT = re.compile(r"[0-9a-f]{16}")


@app.command(epilog=EPILOG)
def shoe(
    kind: options.KindOption = "sabot",
    rulebook: options.BookOption = None,
    speed: options.SpeedOption = 1.0,
    pty: options.PtyOption = None,
    tcp: options.TcpOption = None,
    decks: options.DecksOption = None,
    seed: options.SeedOption = 1,
    table: options.TableOption = "bac-01",
    coups: options.CoupsOption = None,
    mishaps: options.MishapsOption = False,
    patience: options.PatienceOption = 30.0,
    rest: options.RestOption = None,
    card_set: options.CardSetOption = None,
    unit: options.UnitOption = None,
    key: options.KeyOption = None,
    firmware_key: options.FirmwareKeyOption = None,
    state: options.StateOption = None,
    cycle: options.CycleOption = None,
    baud: options.BaudOption = None,
    gap: options.GapOption = None,
    interleaved: options.InterleavedOption = False,
    bcc: options.BccOption = None,
    bad_line: options.BadLineOption = None,
    naks: options.NaksOption = None,
    burn: options.BurnOption = None,
    data_bits: options.DataBitsOption = None,
) -> None:
    """Run a simulated shoe for your own gateway, and print each coup.

    Our own shoe: the firmware runs unchanged on the MicroPython VM; only the cards and the dealer's hands are
    simulated. An Angel Eye is emulated as a whole, from public facts; no recording of a real one exists. stdout has
    first the lines for the gateway's config, then one line per coup: as our own shoe reports it, or as an Angel Eye has
    dealt it, DISPUTED where its result is not that of the cards.
    """
    own = {"--unit": unit, "--key": key, "--state": state, "--card-set": card_set, "--rest": rest}
    line = options.Line(cycle, baud, gap, interleaved, bcc, bad_line, naks, burn, data_bits)
    options.refuse_other_kind(kind, own | {"--firmware-key": firmware_key}, line)
    options.refuse_table(table)
    signals = Signals()
    signals.listen()  # first: a signal during the start must not be lost
    # Firmware and dealers: not for --help.
    from sabot_tools.stand.angel_eye_table import AngelEyePlan
    from sabot_tools.stand.emulated_shoe import EmulationPlan
    from sabot_tools.stand.shoe_run import ERRORS, Keys, run, run_emulated
    from sabot_tools.stand.simulated_shoe import ShoePlan

    try:
        _, _, decks = table_settings("shoe", rulebook := rulebook or rulebooks.in_order()[0], None, decks)
        if kind == "angel-eye":
            people = AngelEyePlan(line.settings(), options.MISHAP_SHARE * mishaps, patience_s=patience)
            run_emulated(EmulationPlan(table, rulebook, decks, speed, seed, coups, people), signals, pty, tcp)
            return
        plan = ShoePlan(table, rulebook, decks, card_set or 1, speed, seed, mishaps, patience, coups, rest or 0.0)
        keys = Keys(read_key(key) if key else None, read_public(firmware_key).raw if firmware_key else None)
        run(plan, signals, _unit(unit), state, keys, pty, tcp)
    except BrokenPipeError:  # the program that read our stdout has ended
        raise
    except ERRORS as error:
        raise failure("shoe", error) from error


def _unit(text: str | None) -> str | None:
    if text is not None and not _UNIT.fullmatch(text.lower()):
        raise typer.BadParameter(f"{text!r} is not a unit id: write 16 hex digits", param_hint="--unit")
    return text.lower() if text else None
