"""CRC, COBS and the incremental decoder against the golden frames."""

from binascii import hexlify, unhexlify

from sabot import wire
from sabot.link.frame import Decoder, crc16, encode
from support import golden_frames


def decode(decoder, wire):
    """Return the bodies in these bytes."""
    bodies = []
    for byte in wire:
        size = decoder.feed(byte)
        if size:
            bodies.append(bytes(decoder.body[:size]))
    return bodies


def test_crc_check_value():
    assert crc16(b"123456789", 0, 9) == 0x29B1


def test_golden_frames_are_encoded_byte_for_byte():
    for vector in golden_frames("accept"):
        body = bytearray(unhexlify(vector["body"] + vector.get("mac", "")))
        size = len(body)
        out = bytearray(200)
        end = encode(body + bytearray(2), size, out, 0)
        assert hexlify(out[:end]).decode() == vector["wire"], vector["name"]


def test_golden_frames_are_accepted():
    decoder = Decoder()
    for vector in golden_frames("accept"):
        body = unhexlify(vector["body"] + vector.get("mac", ""))
        assert decode(decoder, unhexlify(vector["wire"])) == [body], vector["name"]
    assert decoder.errors == 0


def test_golden_rejects_are_refused_and_counted():
    for vector in golden_frames("refuse", "framing"):
        decoder = Decoder()
        assert decode(decoder, unhexlify(vector["wire"])) == [], vector["name"]
        assert decoder.errors == 1, vector["name"]


def test_a_good_frame_after_every_reject():
    good = next(golden_frames("accept"))
    decoder = Decoder()
    for vector in golden_frames("refuse", "framing"):
        wire = unhexlify(vector["wire"]) + unhexlify(good["wire"])
        assert decode(decoder, wire) == [unhexlify(good["body"])], vector["name"]


def test_every_single_bit_flip_is_refused():
    vector = next(golden_frames("accept"))
    wire = unhexlify(vector["wire"])
    for at in range(len(wire) - 1):
        for bit in range(8):
            damaged = bytearray(wire)
            damaged[at] ^= 1 << bit
            assert decode(Decoder(), damaged) == [], (at, bit)


def test_delimiters_alone_are_no_error():
    decoder = Decoder()
    assert decode(decoder, bytes(50)) == []
    assert decoder.errors == 0


def test_the_longest_body_is_decoded_and_one_more_byte_is_not():
    for size, through in ((wire.MAX_BODY_BYTES, True), (wire.MAX_BODY_BYTES + 1, False)):
        body = bytearray([7] * size) + bytearray(2)
        out = bytearray(200)
        end = encode(body, size, out, 0)
        assert (decode(Decoder(), out[:end]) == [bytes(body[:size])]) is through
