"""A gateway as the manuals of its libraries suggest it: a thread per port, a commit per frame, paho's own thread."""

import sqlite3
import sys
import threading
import time
from binascii import crc_hqx
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import paho.mqtt.client as paho
import serial
from cobs import cobs
from paho.mqtt.enums import CallbackAPIVersion
from sabot_gateway.config import Config, Table, load
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Record, Verifier
from sabot_protocol import messages, rulebooks
from sabot_protocol.codec import plain
from sabot_protocol.topics import entry_topic, is_retained
from sabot_service.broker import Broker

_CRC_SEED: Final = 0xFFFF
_READ_TIMEOUT_S: Final = 1.0
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY, unit TEXT, event_no INTEGER, table_name TEXT, topic TEXT, payload BLOB, frame BLOB,
    UNIQUE (unit, event_no)
)"""


def decode(encoded: bytes) -> Any:
    """Return a frame, or None if it is damaged."""
    try:
        checked = cobs.decode(encoded.rstrip(b"\0"))
    except cobs.DecodeError:
        return None
    body, crc = checked[:-2], int.from_bytes(checked[-2:], "little")
    return messages.Frame.parse(body) if body and crc_hqx(body, _CRC_SEED) == crc else None


def encode(kind: str, **body: Any) -> bytes:
    """Return the bytes of a frame."""
    raw = messages.Frame.build({"type": kind, "flags": 0, "seq": 0, "time_ms": 0, "body": body})
    return bytes(cobs.encode(raw + crc_hqx(raw, _CRC_SEED).to_bytes(2, "little"))) + b"\0"


class Store:
    """One connection behind a lock, one transaction per frame."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute(_SCHEMA)

    def append(self, rows: list[tuple[Any, ...]]) -> None:
        """Store rows; they are durable on return."""
        with self._lock, self._db:
            self._db.executemany("INSERT INTO entries VALUES (NULL, ?, ?, ?, ?, ?, ?)", rows)


class Port:
    """One table: reads a frame, checks it, stores it, acknowledges it, publishes it."""

    def __init__(self, table: Table, site: str, store: Store, mqtt: paho.Client) -> None:
        self._table, self._site, self._store, self._mqtt = table, site, store, mqtt
        book = rulebooks.load(table.rulebook)
        self._verifier = Verifier(table.name, book, book.profile(table.decks, table.card_set, table.shoe))
        self._line = serial.Serial(table.port, table.line_baud(), timeout=_READ_TIMEOUT_S)
        self._unit, self._next_no = "", 1

    def serve(self) -> None:
        """Read frames forever."""
        self._line.write(encode("who", gateway=bytes(8), nonce=bytes(8)))
        encoded = b""
        while True:
            encoded += self._line.read_until(b"\0")
            if encoded.endswith(b"\0"):
                self._take(decode(encoded), encoded)
                encoded = b""

    def _take(self, frame: Any, encoded: bytes) -> None:
        if frame is None:
            self._line.write(encode("resend", event_no=self._next_no))
        elif frame.type == "hello":
            self._unit = frame.body.unit.hex()
            nonce = frame.body.shoe_nonce
            hello = {"protocol_hash": messages.protocol_hash(), "shoe_nonce": nonce, "durable_event_no": 0}
            self._line.write(encode("welcome", **hello))
        elif frame.type == "event" and frame.body.event_no == self._next_no:
            self._event(frame, encoded)

    def _event(self, frame: Any, encoded: bytes) -> None:
        body = plain(frame.body)
        event = Event(self._unit, body["event_no"], body["kind"], frame.time_ms, body["data"], encoded)
        now = datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        records = [(record, _payload(record)) for record in self._verifier.take(event, now)]
        self._store.append([self._row(event, place, *record) for place, record in enumerate(records)])
        self._next_no += 1
        self._line.write(encode("ack", event_no=event.event_no))
        for record, payload in records:
            self._publish(record, payload)

    def _row(self, event: Event, place: int, record: Record, payload: bytes) -> tuple[Any, ...]:
        own = (None, b"") if place else (event.event_no, event.raw)
        return (event.unit, own[0], self._table.name, record.topic or "", payload, own[1])

    def _publish(self, record: Record, payload: bytes) -> None:
        if record.topic:
            topic = entry_topic(self._site, self._table.name, record.topic)
            message = b"[" + payload + b"]" if record.topic == "cards" else payload
            self._mqtt.publish(topic, message, qos=1, retain=is_retained(record.topic))


def _payload(record: Record) -> bytes:
    return msgspec.json.encode(record.message) if record.message else b""


def main(config: Config) -> None:
    """Serve the tables of a gateway's config until killed."""
    broker, store = Broker.from_url(config.broker), Store(Path(config.ledger))
    client = paho.Client(CallbackAPIVersion.VERSION2, f"textbook-{config.site}", clean_session=False)
    client.connect(broker.host, broker.port)
    client.loop_start()
    ports = [Port(table, config.site, store, client) for table in config.table]
    threads = [threading.Thread(target=port.serve, daemon=True) for port in ports]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(load(Path(sys.argv[1])))
