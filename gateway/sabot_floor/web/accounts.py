"""Accounts: log in, log out and act from a page; nothing is taken from a form of another site."""

import hmac
from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol import authority, rulebooks
from sabot_service.messages import Answer, RequestError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from sabot_floor.people.sessions import SESSION, Kind, page_token
from sabot_floor.people.verbs import Login, PersonId, Secret
from sabot_floor.web import acts
from sabot_floor.web.bridge import BUSY, LATE, Bridge, Outcome
from sabot_floor.web.desk import NO_SESSION, ChangePin, Do, LogIn, LogOut, Look
from sabot_floor.web.guard import header
from sabot_floor.web.views.jackpots import READ_JACKPOT

MOST_BODY_BYTES = 16_384
_COOKIE = "sabot_session"
Token = Annotated[str, Meta(max_length=64)]


class RefusedRequestError(Exception):
    """A request that is not taken: HTTP status and sentence."""

    def __init__(self, status: int, say: str) -> None:
        super().__init__(say)
        self.status, self.say = status, say


class LogInBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the log-in dialog sends; person `badge`: the badge shows who it is."""

    person: PersonId
    secret: Secret
    kind: Kind = "pit"

    def __repr__(self) -> str:
        return f"LogInBody({self.person!r})"  # never the secret


class PinBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the dialog sends that changes the PIN: the one of before, and the new one."""

    secret: Secret
    new: Secret

    def __repr__(self) -> str:
        return "PinBody()"  # never the secrets


def address(scope: Scope) -> str:
    """Return the address of the browser."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie; with TLS one that no other host can set."""
    return f"__Host-{_COOKIE}" if scope["scheme"] == "https" else _COOKIE


def token(request: Request) -> str:
    """Return the session's token of a request, empty if there is none."""
    found = request.cookies.get(cookie_name(request.scope), "")
    return found if len(found) <= 64 else ""


def _json(answer: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(answer), status, {"cache-control": "no-store"}, media_type="application/json")


def _refused(error: RefusedRequestError) -> Response:
    return _json(Answer(False, error.say), error.status)


async def body_of(request: Request) -> bytes:
    """Return the body of a POST of our own page; RefusedRequestError if it is another's, no JSON, or too long."""
    scope = request.scope
    if header(scope, b"origin") != f"{scope['scheme']}://{header(scope, b'host')}":
        raise RefusedRequestError(403, "This did not come from a page of this server. Reload the page and try again.")
    if header(scope, b"content-type").partition(";")[0].strip() != "application/json":
        raise RefusedRequestError(403, "Only JSON is taken here.")
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > MOST_BODY_BYTES:
            raise RefusedRequestError(413, f"More than {MOST_BODY_BYTES} bytes are not taken.")
    return bytes(found)


def check_token(request: Request) -> str:
    """Return the session's token; RefusedRequestError if there is none, or the page did not prove that it knows it."""
    found = token(request)
    if not found:
        raise RefusedRequestError(401, NO_SESSION.say)
    if not hmac.compare_digest(header(request.scope, b"x-sabot-token").encode(), page_token(found).encode()):
        raise RefusedRequestError(403, "The page does not have the token of your session. Reload it and try again.")
    return found


def _session(outcome: Outcome, found: str) -> dict[str, object]:
    assert outcome.session is not None
    assert outcome.person is not None
    session, person = outcome.session, outcome.person
    return {
        "person": person.id,
        "name": person.name,
        "roles": person.roles,
        "token": page_token(found),
        "idle_s": session.idle_s,
        "kind": session.kind,
        "change_pin": person.initial,
    }


def _status(outcome: Outcome) -> int:
    """Return the HTTP status of a refusal without a session."""
    return {id(BUSY): 503, id(LATE): 504, id(NO_SESSION): 401}.get(id(outcome.answer), 400)


def sees_unturned(outcome: Outcome) -> frozenset[str]:
    """Return the rulebooks whose cards the person of a session may see before they are turned."""
    return frozenset(book for book, role in _roles(outcome) if authority.sees_unturned(book, role))


def reads_jackpots(outcome: Outcome) -> frozenset[str]:
    """Return the rulebooks that let the person of a session read the Jackpot Management Console."""
    return frozenset(book for book, role in _roles(outcome) if authority.check(book, READ_JACKPOT, role).allowed)


def _roles(outcome: Outcome) -> list[tuple[str, str]]:
    """Return the roles of the person of a session; none with a PIN that an administrator has set, and knows."""
    person = outcome.person
    roles = person.roles if person is not None and not person.initial else {}
    known = set(rulebooks.ids())
    return [(book, role) for book, role in roles.items() if book in known]


class Accounts:
    """Answers for log-ins and acts; the floor's loop decides."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    async def log_in(self, request: Request) -> Response:
        """Open a session: its token goes into a cookie that no script can read."""
        try:
            body = msgspec.json.decode(await body_of(request), type=LogInBody)
        except RefusedRequestError as error:
            return _refused(error)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return _json(Answer(False, "Give a person and a PIN, a password or a badge."), 400)
        if body.secret.startswith(SESSION):
            return _json(Answer(False, "Give a PIN, a password or a badge."), 400)
        login = Login(body.person, body.secret)
        outcome = await self._bridge.ask(LogIn(login, body.kind, address(request.scope), token(request)))
        if not outcome.answer.ok:
            return _json(outcome.answer, 401 if outcome.answer not in (BUSY, LATE) else 503)
        response = _json(_session(outcome, outcome.token))
        self._keep(request, response, outcome.token)
        return response

    def _keep(self, request: Request, response: Response, value: str) -> None:
        """Put the token into the browser, or take it out."""
        secure = request.scope["scheme"] == "https"
        age = None if value else 0
        response.set_cookie(
            cookie_name(request.scope), value, max_age=age, secure=secure, httponly=True, samesite="strict"
        )

    async def session(self, request: Request) -> Response:
        """Report the session; a POST also notes that the person does something."""
        try:
            if request.method == "POST":
                await body_of(request)
                found = check_token(request)
            else:
                found = token(request)
        except RefusedRequestError as error:
            return _refused(error)
        outcome = await self.look(request, touch=request.method == "POST")
        if not outcome.answer.ok:
            return _json({"person": None}) if request.method == "GET" else _json(outcome.answer, _status(outcome))
        return _json(_session(outcome, found))

    async def look(self, request: Request, *, touch: bool = False) -> Outcome:
        """Return the session of a request; its answer is negative if there is none."""
        found = token(request)
        if not found:
            return Outcome(NO_SESSION)
        return await self._bridge.ask(Look(found, address(request.scope), touch))

    async def log_out(self, request: Request) -> Response:
        """End the session."""
        try:
            await body_of(request)
            found = check_token(request)
        except RefusedRequestError as error:
            return _refused(error)
        outcome = await self._bridge.ask(LogOut(found, address(request.scope)))
        response = _json(outcome.answer)
        self._keep(request, response, "")
        return response

    async def change_pin(self, request: Request) -> Response:
        """Change the own PIN; every other session of the person ends, and this browser gets a new one."""
        try:
            body = msgspec.json.decode(await body_of(request), type=PinBody)
            found = check_token(request)
        except RefusedRequestError as error:
            return _refused(error)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return _json(Answer(False, "Give the PIN or password of now, and a new one."), 400)
        outcome = await self._bridge.ask(ChangePin(found, address(request.scope), body.secret, body.new))
        if not outcome.answer.ok:
            return _json(outcome.answer, _status(outcome) if outcome.session is None else 200)
        response = _json(_session(outcome, outcome.token))
        self._keep(request, response, outcome.token)
        return response

    async def act(self, request: Request) -> Response:
        """Do what the session's person asks for; the answer comes when it is done."""
        try:
            body = await body_of(request)
            found = check_token(request)
            make = acts.parse(body)
        except RefusedRequestError as error:
            return _refused(error)
        except RequestError as error:
            return _json(Answer(False, str(error)), 400)
        outcome = await self._bridge.ask(Do(found, address(request.scope), make))
        refused = outcome.session is None and not outcome.answer.ok
        return _json(outcome.answer, _status(outcome) if refused else 200)
