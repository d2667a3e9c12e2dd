"""Facts of `sabot gateway check` about an Angel Eye: what is set, what needs our own shoe, what comes on its port."""

from collections.abc import Iterator

from sabot_protocol import rulebooks
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_service.facts import Fact, Status

from sabot_gateway.config import Table
from sabot_gateway.verify.confirmations import confirm_first

_USUAL_BAUD = 4800
_CONFIRM = {
    "result": "the shoe's result confirms a coup that agrees with it",
    "dealer": "a person confirms each coup, at the Dealer Terminal or with `sabot table T confirm`",
}
_RESENT = {
    "keep": "a card that is sent again after an overdraw is kept for the next coup",
    "ignore": "a card that is sent again changes nothing",
}
_COMMANDS = {
    False: "read only (commands = false)",
    True: "people may lock and unlock it and clear its errors (commands = true)",
}
_MOST_OF_7_BITS = 0x7F
_SEVEN_BITS = (
    "the highest bit of the shoe's bytes is missing: the line is set to 7 data bits; set 8 data bits, no parity and 1 "
    "stop bit, at the converter too"
)
_NO_FRAME = (
    "bytes come on this port, but no frame of an Angel Eye: check the speed (4800 is usual), 8 data bits, no parity "
    "and 1 stop bit, at the converter too"
)
_NOTHING = (
    "which is normal while no card is drawn: draw one, or see whether the converter's RxCnt rises, to be sure of the "
    "cable"
)
_NOT_PROVEN = (
    "none of them was a card or a result, and the others pass with 7 data bits, too: check again while a card is drawn"
)
OWN_SHOE = (
    "an Angel Eye cannot give what needs Sabot's own shoe: the draw order is not enforced, no journal keeps what was "
    "sent while the line was down, no key protects the line, cards are not authenticated, sensors do not report their "
    "health, there is no deck check, and no coup is handed over to another shoe. The driver is built from public facts "
    "and was never tried on hardware"
)
_CONFIRMED_BY_PEOPLE = (
    'confirm = "result": {book} settles no coup before the dealer has confirmed it ({clause}), so the shoe\'s result '
    'alone confirms none: a person gives the result and confirms; set confirm = "dealer"'
)


def table_facts(table: Table) -> Iterator[Fact]:
    """Yield what is set for a table with an Angel Eye, and what such a table cannot have."""
    if table.driver != "angel-eye":
        return
    subject = f"table {table.name}"
    speed = f"Angel Eye at {table.line_baud()} baud, 8 data bits, no parity, 1 stop bit"
    if "://" in table.port:
        speed += ", which is set at the converter"
    yield Fact("ok", subject, "; ".join((speed, _COMMANDS[table.commands], _CONFIRM[table.confirm])))
    yield Fact("ok", subject, _RESENT[table.resent_card])
    clause = confirm_first(rulebooks.load(table.rulebook))
    if table.confirm == "result" and clause:
        yield Fact("warning", subject, _CONFIRMED_BY_PEOPLE.format(book=table.rulebook, clause=clause))
    if table.line_baud() != _USUAL_BAUD:
        yield Fact("warning", subject, f"baud = {table.line_baud()}: the usual speed of an Angel Eye is {_USUAL_BAUD}")
    yield Fact("warning", subject, OWN_SHOE)


class LineCheck:
    """What comes on the port of an Angel Eye, to which nothing is sent."""

    def __init__(self) -> None:
        self.decoder = Decoder()
        self.eight_bits = False  # a frame came with a byte that needs 8 data bits

    def take(self, data: bytes, now_s: float) -> None:
        """Count the frames in these bytes."""
        self.eight_bits |= any(max(message.raw) > _MOST_OF_7_BITS for message in self.decoder.feed(data, now_s))

    def found(self, port: str, seconds: float) -> tuple[Status, str]:
        """Return what came in so many seconds."""
        decoder = self.decoder
        if decoder.rejected["bit7"]:
            return "wrong", f"{port}: {_SEVEN_BITS}"
        if decoder.frames:
            return self._frames(port)
        if decoder.bytes:
            return "wrong", f"{port}: {_NO_FRAME}"
        return "ok", f"{port} is open. Nothing came in {seconds:.0f} seconds, {_NOTHING}"

    def _frames(self, port: str) -> tuple[Status, str]:
        decoder = self.decoder
        says = f"{port}: frames of an Angel Eye: {decoder.frames}"
        if decoder.damaged:
            says += f", damaged: {decoder.damaged}; check the cable, its shield and its plugs"
        if not self.eight_bits:
            says += f"; {_NOT_PROVEN}"
        return "warning" if decoder.damaged or not self.eight_bits else "ok", says
