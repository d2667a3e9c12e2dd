"""Serves `/data/assistant/<table>?case=…&facts={…}`: the irregularity assistant, for a person who has logged in."""

import msgspec
from sabot_service.messages import Answer
from starlette.requests import Request
from starlette.responses import Response

from sabot_floor.web import dealer_assistant
from sabot_floor.web.accounts import Accounts, sees_unturned
from sabot_floor.web.dealer_assistant import NoAnswerError
from sabot_floor.web.hub import Hub


class AssistantRoute:
    """Answers with the next question, or with the rulebook's answer and the steps."""

    def __init__(self, hub: Hub, accounts: Accounts) -> None:
        self._hub, self._accounts = hub, accounts

    async def answer(self, request: Request) -> Response:
        """Answer for the role that the person has in the table's rulebook; 401 without a session."""
        outcome = await self._accounts.look(request)
        if outcome.session is None or outcome.person is None:
            return _json(outcome.answer, 401)
        table, asked = request.path_params["table"], request.query_params
        case, facts = asked.get("case", "")[:64], asked.get("facts", "")
        try:
            site = self._hub.site.as_seen(sees_unturned(outcome), table)
            found = dealer_assistant.answer(site, table, case, facts, outcome.person.roles)
        except NoAnswerError as error:
            return _json(Answer(False, str(error)), 400)
        return _json(found)


def _json(body: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(body), status, {"cache-control": "no-store"}, media_type="application/json")
