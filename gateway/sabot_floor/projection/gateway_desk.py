"""Desk of gateways: a person accepts which gateway speaks for a table, or that it has another name."""

from collections.abc import Callable, Mapping

from sabot_protocol import authority
from sabot_protocol.authority import AuthorityError
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import StatusMessage
from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_floor.projection.gateway_log import GatewayLog
from sabot_floor.projection.gateways import Accepted
from sabot_floor.requests import AcceptGateway, Signer
from sabot_floor.store import StoreError

_REBUILD = "Bring in what was left out: `sabot floor rebuild --ledger FILE`"


class GatewayDesk:
    """Takes what people ask about gateways; `status_of` has the newest status of a table."""

    def __init__(
        self, log: GatewayLog, status_of: Callable[[str], StatusMessage | None], clock: Callable[[], Moment]
    ) -> None:
        self._log, self._status_of, self._clock = log, status_of, clock

    def accept(self, asked: AcceptGateway, by: Signer, roles: Mapping[str, str]) -> Answer:
        """Store what is accepted; `roles` are those of a person who has logged in, by rulebook."""
        if bool(asked.table) == (asked.name is not None):
            return Answer(
                False, "Give the table that the gateway serves, --table, or its name now, --name; one of both."
            )
        role = self._role(asked.table, by, roles)
        if isinstance(role, Answer):
            return role
        accepted = Accepted(
            time=self._clock().time,
            gateway=asked.gateway,
            table=asked.table,
            name=asked.name,
            by=by.name,
            role=role,
            person=by.person,
            reason=plain(asked.reason),
        )
        try:
            refused = self._log.append(lambda state: [accepted])
        except StoreError as error:
            return Answer(False, f"Not accepted: {error}.")
        if refused:
            return Answer(False, f"Not accepted: {refused}.")
        what = f"speaks for {asked.table}" if asked.table else f"has the name {asked.name or 'of the site'}"
        return Answer(True, f"Gateway {asked.gateway} {what} from now on. {_REBUILD}.")

    def _role(self, table: str, by: Signer, roles: Mapping[str, str]) -> str | Answer:
        """Return the role by which a person accepts it: one that decides what no rule covers; or the refusal."""
        status = self._status_of(table) if table else None
        book = status.rulebook if status is not None else None
        typed = {book or "": by.role} if not by.person else roles
        wanted = {name: role for name, role in typed.items() if name == (book or name)}
        for name, role in wanted.items():
            if not name or _decides(name, role):
                return role
        lowest = f", from {authority.role_without_rule(book)} on" if book else ""
        return Answer(False, f"Not accepted: {by.name} needs a role that decides what no rule covers{lowest}.")


def _decides(book: str, role: str) -> bool:
    try:
        return authority.check_without_rule(book, role).allowed
    except AuthorityError:
        return False
