"""Keys of commands: the floor service signs with Ed25519, and a gateway holds only the public key."""

from hashlib import sha256
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from sabot_protocol.commands import CommandError, CommandMessage, canonical
from sabot_protocol.inputs import key_pairs
from sabot_protocol.inputs.secret_file import SecretError, read_key

_NAME = "floor"
PRIVATE_NAME, PUBLIC_NAME = f"{_NAME}.key", f"{_NAME}.pub"
_ID_DIGITS = 16


class PublicKey:
    """Checks the signature of a command."""

    def __init__(self, raw: bytes) -> None:
        self._key = Ed25519PublicKey.from_public_bytes(raw)
        self.raw, self.id = raw, sha256(b"sabot floor key " + raw).hexdigest()[:_ID_DIGITS]

    def check(self, message: CommandMessage) -> None:
        """Raise CommandError unless the holder of the private key has signed exactly this command."""
        if message.key != self.id:
            say = f"the command is signed with key {message.key}, and this gateway has {self.id}; give it the floor's"
            raise CommandError("other_key", f"{say} public key: `floor_key` in its config")
        try:
            self._key.verify(bytes.fromhex(message.signature), canonical(message, signed=False))
        except InvalidSignature:
            say = "the signature is not right: the command was changed, or the floor service did not sign it"
            raise CommandError("signature", f"{say}; check who may write the topic") from None


class SigningKey:
    """Signs commands; only the floor service has it."""

    def __init__(self, raw: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(raw)
        self.public = PublicKey(self._key.public_key().public_bytes_raw())

    def sign(self, message: CommandMessage) -> bytes:
        """Return the payload: the command with the key's id and the signature."""
        named = msgspec.structs.replace(message, key=self.public.id, signature="")
        signature = self._key.sign(canonical(named, signed=False)).hex()
        return canonical(msgspec.structs.replace(named, signature=signature), signed=True)


def make(directory: Path) -> PublicKey:
    """Write a new pair into a directory: floor.key for its owner only, and floor.pub to be copied; both or none."""
    return PublicKey(key_pairs.make(directory, _NAME))


def read_public(path: Path) -> PublicKey:
    """Return the public key in a file; SecretError with the next step if it cannot be used."""
    make_one = "copy floor.pub of the floor service there; `sabot keys floor DIR` makes it"
    return PublicKey(key_pairs.read_public(path, make_one))


def read_signing(path: Path) -> SigningKey:
    """Return the private key in a file; SecretError if it cannot be used or others can read it."""
    raw = read_key(path)
    if raw is None:
        raise SecretError(f"{path}: no such file; make it with `sabot keys floor {path.parent}`")
    return SigningKey(raw)
