"""Refusals: messages why a shoe is not served or a command not taken: what is wrong, what to do."""

from sabot_protocol import messages

# An unauthenticated HELLO may put a log so far ahead of the ledger: two years of play without a pause.
MOST_AHEAD = 2**24


def another_release(unit: str, spoken: str) -> str:
    """Return the refusal of a shoe of another release."""
    return (
        f"shoe {unit} uses protocol {spoken}, this gateway {messages.protocol_hash().hex()}; "
        "reflash the shoe or update the gateway: both must be of one release"
    )


def another_gateway(gateway: str) -> str:
    """Return the refusal of a shoe that another gateway serves."""
    return (
        f"the shoe is served by another gateway, {gateway}: one shoe, one gateway; "
        "stop the other one, or take this table out of the config"
    )


def no_unit(unit: str, gateway: str) -> str | None:
    """Return why this cannot be the id of a shoe, None where it can."""
    if unit == gateway:
        return f"a shoe on this port uses the id of this gateway, {unit}: put another controller into the shoe"
    if set(unit) in ({"0"}, {"f"}):
        return f"the shoe on this port has no unit id, only {unit}: have its controller examined"
    return None


def at_another_table(unit: str, table: str) -> str:
    """Return the refusal of the second shoe with one unit id."""
    return (
        f"shoe {unit} is served at table {table}: one unit id, one port; a shoe that was moved is served here in a few "
        "seconds; if two ports lead to one shoe, take one out of the config; if two shoes have this id, put another "
        "controller into one of them"
    )


def unit_id_twice(unit: str, table: str, other: str) -> str:
    """Return the text of the alarm: two shoes answer with one unit id."""
    return (
        f"Two shoes answer with the unit id {unit}: one is served at table {table}, the one at table {other} is "
        "refused. Stop both tables: one of them is a copy, or one shoe is connected to two ports. Call security; keep "
        "both shoes, and find out which has the controller with this id. The alarm ends when only one answers."
    )


def taken_over(unit: str, table: str) -> str:
    """Return the refusal of a device that was served without the key of this unit."""
    return (
        f"shoe {unit} has proved its key at table {table}; what used its id on this port has no key: "
        "find out what is connected here"
    )


def in_a_moment(unit: str, table: str) -> str:
    """Return the refusal of a shoe whose last events are not durable yet."""
    return f"the last events of shoe {unit} at table {table} are being stored; it is served here in a moment"


def wrong_numbers(unit: str, oldest: int, next_no: int, durable: int, *, authenticated: bool) -> str | None:
    """Return what is wrong with the numbers of a shoe's log, next to the ledger."""
    if oldest > next_no or next_no < 1:
        return f"shoe {unit} reports a log that begins at {oldest} and ends before {next_no}: have its journal examined"
    if next_no <= durable:
        return f"shoe {unit} would number its next event {next_no}, but the ledger already holds {durable}: {_ERASED}"
    if not authenticated and next_no > durable + MOST_AHEAD:
        return (
            f"shoe {unit} would number its next event {next_no}, and the ledger holds {durable}: no shoe logs "
            f"so much between two visits; if it is right, give the shoe a key (`sabot keys new {unit}`), else have it "
            "examined"
        )
    return None


def another_log(unit: str, event_no: int, durable: int) -> str:
    """Return the refusal of a shoe that has another event than the ledger under one number."""
    return (
        f"event {event_no} of shoe {unit} is not the one in the ledger, which holds this shoe's log up to {durable}: "
        f"{_ERASED}"
    )


_ERASED = (
    "its journal was erased or the unit id is used twice; keep the shoe for inspection, "
    "and go on with another controller, which has an id of its own"
)


def wrong_key(unit: str, *, known: bool, proved: bool) -> str:
    """Return the refusal of a shoe whose key is missing on one side, or is another one."""
    if not known and not proved:
        return (
            f"shoe {unit} has no key, and this gateway serves only shoes that have one: make one with "
            f"`sabot keys new {unit} --dir DIR --shoe key.bin`, DIR as `keys` in the config, and put key.bin into the "
            "shoe; or write keys_required = false"
        )
    if not known:
        return f"shoe {unit} authenticates its frames and this gateway has no key of it: put its key file into `keys`"
    if proved:
        return f"shoe {unit} has another key than this gateway: put one key into both (`sabot keys new {unit}`)"
    return (
        f"shoe {unit} has a key here and does not use it: put the key into the shoe again, "
        "or take its key file away and write keys_required = false to serve it unauthenticated"
    )


def for_angel_eye(kind: str) -> str:
    """Return that a command is only for an Angel Eye; empty if it is for our own shoe."""
    if kind != "clear_error":
        return ""
    return "only an Angel Eye has such errors. Run `sabot table {table} clear-fault FAULT --by NAME` here."


_WITHOUT_LOG = {  # by the name of the alarm
    "ledger_not_writable": "The ledger was not writable for a while, and the gateway read nothing from the shoe. Now "
    "it reads what this PC has kept meanwhile; the shoe itself keeps nothing. Compare the coups of that time with the "
    "table. Have the disk of the table PC checked.",
    "gateway_error": "The gateway had an internal error and opened the line of this shoe again. The shoe keeps "
    "nothing: compare the coup on the table with the screen. Report this with the gateway's log.",
}


def without_log(name: str, say: str) -> str:
    """Return the text of an alarm of the gateway at a table whose shoe keeps no log."""
    return _WITHOUT_LOG.get(name, say)
