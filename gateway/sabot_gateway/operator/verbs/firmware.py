"""Verb push-firmware: sends a signed image to the shoe of a table, between two shoes."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from msgspec import Meta
from sabot_protocol import firmware
from sabot_protocol.firmware import ImageError, SignedImage
from sabot_protocol.inputs.secret_file import SecretError

from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.verb import Effect, RefusedError, TableVerb, refuse_without_shoe
from sabot_gateway.verify import Source
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.state import NOT_OPEN


class PushFirmware(TableVerb, frozen=True):
    """Push the image in a file of the table PC; `sha256` says which one the person means."""

    title = "Firmware push"
    image: Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f\u2028-\u202e]{1,1024}\Z")]
    sha256: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    allow_older: bool = False
    other_protocol: bool = False

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Begin the push; how it ends is an entry of its own."""
        push = table.link.firmware
        if push is None:
            raise RefusedError("it needs Sabot's own shoe, and this table has an Angel Eye. Follow the maker's manual.")
        refuse_without_shoe(table)
        if table.verifier.state.phase not in NOT_OPEN:
            raise RefusedError(
                f"a shoe is open at {table.name}. Push between two shoes: close it with `sabot table {table.name} tell "
                "close-shoe --by NAME`."
            )
        if push.active():
            raise RefusedError(f"another push is in progress. See `sabot firmware status {table.name}`.")
        image = self._image()
        flags = {"allow_older": self.allow_older, "other_protocol": self.other_protocol}
        try:
            push.begin(image, person.attempt, **flags)
        except (ImageError, SecretError) as error:
            raise RefusedError(f"{error}.") from None
        return Effect(
            say=f"The push of version {image.version_text}, image {image.image_hash.hex()}, has begun. It goes on "
            f"between shoes: see `sabot firmware status {table.name}`."
        )

    def _image(self) -> SignedImage:
        try:
            image = firmware.read(Path(self.image))
        except ImageError as error:
            raise RefusedError(f"{error}.") from None
        if image.sha256.hex() != self.sha256:
            raise RefusedError(f"{self.image} is another image for the daemon than for you. Give its absolute path.")
        return image
