"""parse: the generated codec against construct, bytes to frames against the textbook, and the goodput of the link."""

from collections.abc import Iterator

from sabot_protocol import codec, messages

from sabot_tools.bench import frame_parsing, link_goodput
from sabot_tools.bench.figure import Figure, at_least, best_in_turn_s


def figures() -> Iterator[Figure]:
    """Measure a frame, the whole way from bytes to checked frames, and a backlog over a simulated line."""
    actions = ((messages.Frame.parse, 10), (messages.Frame.compile().parse, 50), (codec.parse, 500))
    interpreted, compiled, ours = best_in_turn_s(frame_parsing.card_frame(5), actions, 1000)
    rates = f"{1 / ours:,.0f} frames a second against {1 / interpreted:,.0f} interpreted, {1 / compiled:,.0f} compiled"
    yield at_least("parse.generated_over_interpreted", interpreted / ours, 30, rates)
    yield at_least("parse.generated_over_compiled", compiled / ours, 8, rates)
    yield _full_path()
    yield _goodput()


def _full_path() -> Figure:
    reads = frame_parsing.reads()
    ways = (frame_parsing.by_textbook, frame_parsing.by_textbook_in_c, frame_parsing.by_gateway)
    if any(len(way(reads)) != frame_parsing.FRAMES for way in ways):
        raise RuntimeError("a parser did not return every frame: the parsers cannot be compared")
    took_s = best_in_turn_s(reads, tuple((way, 1) for way in ways), 200)
    textbook, in_c, ours = (each / frame_parsing.FRAMES for each in took_s)
    what = (
        f"{1 / ours:,.0f} authenticated card frames a second, 16 a read, bytes to checked Frame, against "
        f"{1 / textbook:,.0f}: split, COBS byte by byte and table CRC in Python, hmac.new, interpreted construct; "
        f"{in_c / ours:.1f} x with COBS and CRC in C"
    )
    return at_least("parse.full_path_over_interpreted", textbook / ours, 10, what)


def _goodput() -> Figure:
    made = link_goodput.measure()
    what = (
        f"{link_goodput.BACKLOG} cards in {made.seconds:.2f} s of 115,200 baud from WELCOME to the last ack, commits "
        f"of 10 ms: frames of events {made.events:.1%} of the line, the events in them {made.bodies:.1%}; "
        f"{made.acks} acks, {made.down:.1%} of the line to the shoe; {made.resends} resends"
    )
    return at_least("link.goodput_over_line", made.events, 0.9, what)
