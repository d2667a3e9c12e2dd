"""Ed25519 and SHA-512: the vectors of RFC 8032 (7.1) and FIPS 180; what is changed is refused."""

from binascii import hexlify, unhexlify

import tidy  # noqa: F401
from sabot.update.ed25519 import sha512, verify

# Public key, message and signature: TEST 1, TEST 2, TEST 3 and TEST SHA(abc).
RFC = (
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
        "24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
        "eeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed2"
        "8dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce8"
        "0e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac1"
        "7ad9bef1177331a704",
    ),
)


def is_signed(key, message, signature):
    """Go through all steps."""
    steps = verify(key, message, signature)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def test_the_signatures_of_the_rfc():
    for key, message, signature in RFC:
        assert is_signed(unhexlify(key), unhexlify(message), unhexlify(signature)) is True


def test_one_changed_bit_anywhere_is_refused():
    key, message, signature = (unhexlify(text) for text in RFC[2])
    for part, at in ((0, 3), (1, 1), (2, 0), (2, 31), (2, 32), (2, 63)):
        parts = [bytearray(key), bytearray(message), bytearray(signature)]
        parts[part][at] ^= 4
        assert is_signed(*[bytes(one) for one in parts]) is False, (part, at)


def test_a_rest_that_is_not_below_the_order_is_refused():
    """Else every signature would have a second form."""
    key, message, signature = (unhexlify(text) for text in RFC[1])
    order = 2**252 + 27742317777372353535851937790883648493
    rest = int.from_bytes(signature[32:], "little") + order
    assert is_signed(key, message, signature[:32] + rest.to_bytes(32, "little")) is False


def test_bytes_that_are_no_point_are_refused():
    _, message, signature = (unhexlify(text) for text in RFC[1])
    for key in (b"\xff" * 32, b"\x02" + bytes(31)):
        assert is_signed(key, message, signature) is False


def test_sha512_of_one_and_of_two_blocks():
    for message, expected in (
        (b"abc", "ddaf35a193617abacc417349ae204131"),
        (
            b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "8e959b75dae313da8cf4f72814fc143f",
        ),
    ):
        assert hexlify(sha512(message)[:16]).decode() == expected
