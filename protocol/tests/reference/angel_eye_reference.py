"""A slow reader of an Angel Eye's line, written from the published facts alone: a recording in, a report out.

It reads a whole recording with an index, as a person reads a printed dump. It shares no code with sabot_protocol or the
gateway and answers in the form of the vectors.
"""

from typing import Any, NamedTuple

from angel_eye_coups import Book

Report = dict[str, Any]

STX, ETX, ENQ, ACK, NAK = 0x02, 0x03, 0x05, 0x06, 0x15
LONGEST_FRAME = 32
HALF_FRAME_S = 0.5
REPEAT_S = 1.0
REMEMBERED = 4
ANSWER_S = 3.0

NAMES = {
    "S": "comm_start",
    "P": "stand_by",
    "D": "card",
    "d": "card_outside_game",
    "R": "card_again",
    "G": "result",
    "C": "cutting_card",
    "E": "error",
    "e": "error_cancelled",
    "L": "lock",
    "M": "preset",
}
LENGTHS = {"S": 0, "P": 0, "D": 2, "d": 2, "R": 2, "G": 1, "C": 0, "E": 1, "e": 1, "L": 1, "M": 6}
TARGETS = {0: "player", 1: "banker", 2: "burn", 4: "burn_first", 5: "burn_count"}
MODES = {0: "lock", 1: "error", 2: "setting"}
RESULTS = {1: "player", 2: "tie", 4: "banker", 7: "forced_end"}
ERRORS = {
    1: "cannot_read",
    2: "overdraw",
    3: "wrong_button",
    4: "reverse_exit",
    5: "reverse_midway",
    6: "card_code",
    7: "draw_timeout",
}
NAKS = {
    0x01: "line_error",
    0x02: "bcc",
    0x03: "no_etx",
    0x11: "format",
    0x12: "address",
    0x13: "command",
    0x14: "type",
    0x21: "busy",
    0x22: "writing",
    0xFF: "other",
}


class Timed(NamedTuple):
    """One byte of the recording."""

    at: float
    byte: int


class Piece(NamedTuple):
    """A whole frame, ACK or NAK of the recording: the time of its last byte, and the bytes of the line up to it."""

    at: float
    end: int
    data: bytes


class Command(NamedTuple):
    """A command of the host, sent when the shoe had sent so many bytes."""

    at: float
    after: int
    text: str


class RefusedError(Exception):
    """A whole frame that must not be used; the text is the reason of the vectors."""


def hexadecimal(data: bytes) -> str:
    return " ".join(f"{byte:02X}" for byte in data)


def pieces(line: list[Timed]) -> list[Piece]:
    """Find everything whole on one connection."""
    found = []
    at = 0
    while at < len(line):
        byte = line[at].byte
        if byte == ACK:
            end, whole = at + 1, True
        elif byte == NAK:
            end, whole = end_of_nak(line, at)
        elif byte in (ENQ, STX):
            end, whole = end_of_frame(line, at)
        else:
            end, whole = at + 1, False
        if whole:
            found.append(Piece(line[end - 1].at, end, bytes(timed.byte for timed in line[at:end])))
        at = end
    return found


def late(line: list[Timed], at: int) -> bool:
    """Return True if the byte came too long after the one before it to belong to the same frame."""
    return line[at].at - line[at - 1].at > HALF_FRAME_S


def end_of_nak(line: list[Timed], start: int) -> tuple[int, bool]:
    """The code is the next byte as it is."""
    code = start + 1
    if code == len(line) or late(line, code):
        return code, False
    return code + 1, True


def end_of_frame(line: list[Timed], start: int) -> tuple[int, bool]:
    """Return where to read on, and whether the bytes before it are a whole frame."""
    etx = None
    for at in range(start + 1, len(line)):
        byte = line[at].byte
        if late(line, at) or at - start >= LONGEST_FRAME or byte in (ENQ, STX, ACK, NAK):
            return at, False
        if etx is None:
            etx = at if byte == ETX else None
        elif byte == ETX:
            return at + 1, False
        elif at == etx + 2:
            return at + 1, True
    return len(line), False


def xor(data: bytes) -> str:
    total = 0
    for byte in data:
        total ^= byte
    return f"{total:02X}"


def message(data: bytes) -> Report:
    """Report one whole piece, or raise RefusedError with the reason."""
    if data[0] == ACK:
        return {"t": "ACK", "name": "ack"}
    if data[0] == NAK:
        return {"t": "NAK", "name": "nak", "code": data[1], "error": NAKS.get(data[1], "unknown")}
    bcc = data[-2:].decode("latin-1")
    if data[0] == STX:
        return reply(data, bcc)
    if xor(data[1:-2]) != bcc:
        raise RefusedError("bcc")
    body = data[1:-3]
    if len(body) < 2:
        raise RefusedError("short")
    return typed(chr(body[0]), chr(body[1]), body[2:])


def reply(data: bytes, bcc: str) -> Report:
    """A frame that begins with STX: text, its BCC with or without STX."""
    text = data[1:-3].decode("latin-1")
    if xor(data[1:-2]) == bcc:
        return {"t": "STX", "name": "reply", "text": text, "bcc": "without_stx"}
    if xor(data[:-2]) == bcc:
        return {"t": "STX", "name": "reply", "text": text, "bcc": "with_stx"}
    raise RefusedError("bcc")


def typed(seq: str, kind: str, data: bytes) -> Report:
    """One frame with a right BCC: length, then bit 7, then values."""
    head = {"seq": seq, "t": kind, "name": NAMES.get(kind, "unknown")}
    if kind not in NAMES:
        return head | {"payload": hexadecimal(data)}
    length = LENGTHS[kind]
    if len(data) < length:
        raise RefusedError("short")
    if kind != "M" and any(byte < 0x80 for byte in data):
        raise RefusedError("bit7")
    answer = head | fields(kind, data[:length])
    if len(data) > length:
        answer["extra"] = hexadecimal(data[length:])
    return answer


def fields(kind: str, data: bytes) -> Report:
    """The values of a known type."""
    if kind in "DR":
        return placed(high(data[0]), data[0] & 15, card(data[1]))
    if kind == "d":
        mode = MODES.get(high(data[0]), "unknown")
        return {"mode": mode, "low": data[0] & 15, "card": card(data[1])}
    if kind == "G":
        result = RESULTS.get(high(data[0]), "unknown")
        return {"result": result, "player_pair": bool(data[0] & 1), "banker_pair": bool(data[0] & 2)}
    if kind in "Ee":
        code = data[0] & 0x3F
        answer: Report = {"code": code, "error": ERRORS.get(code, "unknown")}
        return answer | {"in_error_mode": bool(data[0] & 0x40)} if kind == "E" else answer
    if kind == "L":
        return {"locked": bool(data[0] & 1)}
    if kind == "M":
        text = bytes(byte & 0x7F for byte in data).decode("ascii")
        if not text.isprintable():
            raise RefusedError("value")
        return {"address": text[:2], "value": text[2:]}
    return {}


def high(byte: int) -> int:
    return byte >> 4 & 7


def card(byte: int) -> str | None:
    """The card, or None where suit or rank is missing or undefined."""
    suit, rank = high(byte), byte & 15
    return "A23456789TJQK"[rank - 1] + " DCSH"[suit] if 1 <= suit <= 4 and 1 <= rank <= 13 else None


def placed(target: int, index: int, drawn: str | None) -> Report:
    """A place and its card."""
    name = TARGETS.get(target, "unknown")
    if index > 10 or (name == "burn_count" and index == 0):
        raise RefusedError("value")
    if name in ("player", "banker") and (drawn is None or not 1 <= index <= 3):
        raise RefusedError("value")
    return {"target": name, "card": drawn, "count" if name == "burn_count" else "index": index}


class Reading:
    """Everything read from one recording."""

    def __init__(self) -> None:
        self.messages: list[Report] = []
        self.repeats = 0
        self.rejected: dict[str, int] = {}
        self.recent: list[Piece] = []
        self.book = Book()

    def connection(self, line: list[Timed], commands: list[Command]) -> None:
        """Read one connection from its opening."""
        self.recent = []
        self.book.connect()
        for piece in pieces(line):
            self.piece(piece, commands)

    def piece(self, piece: Piece, commands: list[Command]) -> None:
        try:
            report = message(piece.data)
        except RefusedError as refused:
            reason = str(refused)
            self.rejected[reason] = self.rejected.get(reason, 0) + 1
            return
        if report["t"] in ("ACK", "NAK"):
            self.answer(report, piece, commands)
        elif any(old.data == piece.data and piece.at - old.at <= REPEAT_S for old in self.recent):
            self.repeats += 1
            return
        else:
            kept = [] if report["t"] == "S" else self.recent
            self.recent = [*kept, piece][-REMEMBERED:]
        self.messages.append(report)
        self.book.take(report)

    def answer(self, report: Report, piece: Piece, commands: list[Command]) -> None:
        """The first answer to the last command decides it; the shoe reports no lock by command."""
        asked = [command for command in commands if command.after < piece.end]
        del commands[: len(asked)]
        if asked and report["t"] == "ACK" and piece.at - asked[-1].at <= ANSWER_S and asked[-1].text[:4] == "OPLK":
            self.book.locked = asked[-1].text == "OPLK02"

    def report(self) -> Report:
        return {
            "messages": self.messages,
            "repeats": self.repeats,
            "rejected": self.rejected,
            "coups": self.book.report(),
            "final": self.book.final(),
        }


def decode(vector: Report) -> Report:
    """Answer a line of the vectors."""
    chunks = vector.get("chunks", [vector["hex"]])
    times = vector.get("at", [0.0] * len(chunks))
    reading = Reading()
    line = [Timed(at, byte) for at, chunk in zip(times, chunks, strict=True) for byte in bytes.fromhex(chunk)]
    reading.connection(line, [])
    return {"id": vector["id"]} | reading.report()


def session(events: list[Report]) -> Report:
    """Answer the lines of a session."""
    reading = Reading()
    line: list[Timed] = []
    commands: list[Command] = []
    for event in [*events, {"ev": "connect"}]:
        if event["ev"] == "connect":
            if event is not events[0]:
                reading.connection(line, commands)
            line, commands = [], []
        elif event["ev"] == "rx":
            line += [Timed(event["t"], byte) for byte in bytes.fromhex(event["hex"])]
        elif event["ev"] == "tx":
            commands.append(Command(event["t"], len(line), bytes.fromhex(event["hex"])[1:7].decode("latin-1")))
    return reading.report()
