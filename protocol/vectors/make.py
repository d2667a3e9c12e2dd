"""Writes coups.jsonl and frames.json from draw.json and from struct; imports nothing of what they test."""

import json
import struct
from binascii import crc_hqx
from itertools import cycle
from pathlib import Path

HERE = Path(__file__).parent
DRAW = json.loads((HERE / "draw.json").read_text())
RANK_OF_VALUE = {0: "TJQK", **{value: "A23456789"[value - 1] for value in range(1, 10)}}


def cards_of() -> "dict[int, cycle[str]]":
    """For each value, its cards in turn, so that ranks and suits vary."""
    return {value: cycle([rank + suit for suit in "SHDC" for rank in ranks]) for value, ranks in RANK_OF_VALUE.items()}


def initial_totals() -> "list[tuple[int, int, list[int | None]]]":
    """Player's points, Banker's points, and the Player's third cards to try: every state of the first four cards."""
    states: list[tuple[int, int, list[int | None]]] = []
    for player in range(10):
        for banker in range(10):
            natural = player >= 8 or banker >= 8
            draws = not natural and DRAW["table_1"][player] == "D"
            states.append((player, banker, list(range(10)) if draws else [None]))
    return states


def coups() -> "list[dict[str, object]]":
    """One coup for each state and third card; splits of a total into two cards vary from coup to coup."""
    deal, firsts, thirds = cards_of(), cycle(range(10)), cycle([0, 7, 4, 1, 8, 5, 2, 9, 6, 3])
    found = []
    for player_total, banker_total, third_cards in initial_totals():
        for third in third_cards:
            p1, b1 = next(firsts), next(firsts)
            player = [next(deal[p1]), next(deal[(player_total - p1) % 10])]
            banker = [next(deal[b1]), next(deal[(banker_total - b1) % 10])]
            natural = player_total >= 8 or banker_total >= 8
            stock = [player[0], banker[0], player[1], banker[1]]
            if third is not None:
                player.append(next(deal[third]))
                stock.append(player[2])
            column = 0 if third is None else third + 1
            banker_points = banker_total
            if not natural and DRAW["table_2"][banker_total][column] == "D":
                value = next(thirds)
                banker.append(next(deal[value]))
                stock.append(banker[2])
                banker_points = (banker_total + value) % 10
            player_points = (player_total + (third or 0)) % 10
            found.append(
                {
                    "state": f"Player {player_total}, Banker {banker_total}, third {third}",
                    "stock": stock,
                    "player": player,
                    "banker": banker,
                    "player_points": player_points,
                    "banker_points": banker_points,
                    "winner": ("tie", "player", "banker")[
                        (player_points > banker_points) - (player_points < banker_points)
                    ],
                    "natural": natural,
                    "player_pair": player[0][0] == player[1][0],
                    "banker_pair": banker[0][0] == banker[1][0],
                }
            )
    return found


def cobs(data: bytes) -> bytes:
    """Consistent overhead byte stuffing, for less than 254 bytes without a zero."""
    return b"".join(bytes([len(block) + 1]) + block for block in data.split(b"\0"))


def wire(body: bytes) -> bytes:
    """A frame as it travels."""
    return cobs(body + struct.pack("<H", crc_hqx(body, 0xFFFF))) + b"\0"


def accept(name: str, layout: str, *values: object, fields: object) -> "dict[str, object]":
    """A frame and what it says."""
    body = struct.pack("<" + layout, *values)
    return {"name": name, "body": body.hex(), "wire": wire(body).hex(), "fields": fields}


def frames() -> "dict[str, object]":
    """Frames that both sides must accept, and bytes that both must refuse."""
    place = {"shoe_no": 1, "coup_no": 2}
    ack = struct.pack("<BBHII", 0x82, 0, 3, 0x01020304, 77)
    event = struct.pack("<BBHIIBHHBBHB", 2, 0, 5, 1234, 7, 4, 1, 2, 1, 33, 900, 80)
    top = 2**30 - 1
    accepted = [
        accept("who", "BBHI", 0x80, 0, 0, 0, fields={"type": "who", "seq": 0, "time_ms": 0, "body": {}}),
        accept(
            "ack at the top of the range", "BBHII", 0x82, 0, 0xFFFF, top, top,
            fields={"type": "ack", "seq": 65535, "time_ms": top, "body": {"event_no": top}},
        ),
        accept(
            "the eight of hearts is the Player's first card", "BBHIIBHHBBHB", 2, 0, 5, 1234, 7, 4, 1, 2, 1, 33, 900, 80,
            fields={"type": "event", "seq": 5, "time_ms": 1234, "body": {"event_no": 7, "kind": "card", "data": {
                **place, "slot": "player_1", "card": "8H", "speed_mm_s": 900, "margin_pct": 80}}},
        ),
        accept(
            "Banker wins 7 to 6, Player pair, last coup", "BBHIIBHHBBBB", 2, 0, 6, 1300, 8, 6, 1, 2, 2, 6, 7, 9,
            fields={"type": "event", "seq": 6, "time_ms": 1300, "body": {"event_no": 8, "kind": "coup", "data": {
                **place, "winner": "banker", "player_points": 6, "banker_points": 7, "flags": {
                    "player_pair": True, "banker_pair": False, "natural": False, "last_coup": True}}}},
        ),
        accept(
            "a card is rejected: columns 3 and 7 are in doubt", "BBHIIBHHBBHHB",
            2, 0, 7, 1400, 9, 7, 1, 2, 3, 10, 68, 850, 0,
            fields={"type": "event", "seq": 7, "time_ms": 1400, "body": {"event_no": 9, "kind": "reject", "data": {
                **place, "reason": "doubtful", "columns": 10, "doubtful": 68, "speed_mm_s": 850, "margin_pct": 0}}},
        ),
        accept(
            "what track B saw of a shoe", "BBHIIBHBHHHBBHHH",
            2, 0, 8, 1500, 10, 11, 3, 2, 410, 1, 6, 91, 40, 900, 120, 2950,
            fields={"type": "event", "seq": 8, "time_ms": 1500, "body": {"event_no": 10, "kind": "sensor", "data": {
                "shoe_no": 3, "sensor": "b", "reads": 410, "rejects": 1, "spikes": 6, "margin_mean_pct": 91,
                "margin_worst_pct": 40, "speed_mean_mm_s": 900, "speed_least_mm_s": 120, "speed_most_mm_s": 2950}}},
        ),
        accept(
            "welcome", "BBHI8sI", 0x81, 0, 1, 50, bytes(range(1, 9)), 41,
            fields={"type": "welcome", "seq": 1, "time_ms": 50, "body": {
                "protocol_hash": bytes(range(1, 9)).hex(), "durable_event_no": 41}},
        ),
    ]  # fmt: skip
    damaged = bytearray(wire(event))
    damaged[6] ^= 0x10
    refused = [
        {"name": "one bit flipped", "wire": bytes(damaged).hex()},
        {"name": "last byte missing", "wire": (wire(ack)[:-2] + b"\0").hex()},
        {
            "name": "CRC of the bytes in wrong order",
            "wire": (cobs(ack + struct.pack(">H", crc_hqx(ack, 0xFFFF))) + b"\0").hex(),
        },
        {"name": "CRC seeded with zero", "wire": (cobs(ack + struct.pack("<H", crc_hqx(ack, 0))) + b"\0").hex()},
        {"name": "only a CRC", "wire": (cobs(struct.pack("<H", 0xFFFF)) + b"\0").hex()},
        {"name": "a code byte that points beyond the end", "wire": "0911223300"},
        {"name": "more than a frame can hold", "wire": (cobs(b"\x82" * 200) + b"\0").hex()},
    ]
    return {"crc_of_123456789": crc_hqx(b"123456789", 0xFFFF), "accept": accepted, "refuse": refused}


def main() -> None:
    """Rewrite both files."""
    (HERE / "coups.jsonl").write_text("".join(json.dumps(coup) + "\n" for coup in coups()))
    (HERE / "frames.json").write_text(json.dumps(frames(), indent=1) + "\n")


if __name__ == "__main__":
    main()
