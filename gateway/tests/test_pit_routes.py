"""Data over HTTP: only with a session, bounded names, and a sentence when the store cannot be read."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from projection_rows import health
from sabot_floor.config import Config
from sabot_floor.people.sessions import Session
from sabot_floor.projection.writing import insert
from sabot_floor.store import open_store
from sabot_floor.web.bridge import Outcome
from sabot_floor.web.data.routes import Data
from sabot_service.messages import Answer
from sabot_service.moment import Moment
from starlette.requests import Request
from starlette.routing import Router

AT = Moment(1.0, "2026-05-01T10:30:00.000Z")
SESSION = Session("id", "sue", "", "127.0.0.1", "pit", 300.0, 0.0, 0.0)


class Sessions:
    """People who have logged in, or nobody."""

    def __init__(self, session: Session | None) -> None:
        self._session = session

    async def look(self, request: Request, *, touch: bool = False) -> Outcome:
        return Outcome(Answer(self._session is not None, ""), self._session)


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = str(tmp_path / "floor.db")
    with open_store(url) as made, made.writing("projection"):
        insert(made, [health(1, "b")])
    return url


def get(store: str, path: str, session: Session | None = SESSION) -> tuple[int, Any]:
    """Return status and JSON of an answer."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    name, _, query = path.partition("?")
    scope = {"type": "http", "method": "GET", "path": name, "query_string": query.encode(), "headers": []}
    asyncio.run(Router(Data(Config("sydney", store, ""), Sessions(session), lambda: AT).routes())(scope, receive, send))
    return sent[0]["status"], msgspec.json.decode(sent[1]["body"])


def test_data_are_for_people_who_have_logged_in(store: str) -> None:
    status, trends = get(store, "/data/trends/t1")
    assert (status, [one["sensor"] for one in trends["sensors"]]) == (200, ["b"])
    for path in ("/data/trends/t1", "/data/shoe/t1?unit=u1&shoe=1", "/data/book/star-baccarat"):
        assert get(store, path)[0] == 200
        assert get(store, path, None) == (401, {"ok": False, "say": "Log in first."})


def test_a_session_of_a_dealer_reads_books_alone(store: str) -> None:
    dealer = msgspec.structs.replace(SESSION, kind="dealer")
    assert get(store, "/data/book/star-baccarat", dealer)[0] == 200
    for path in ("/data/trends/t1", "/data/shoe/t1?unit=u1&shoe=1", "/data/coup/x"):
        assert get(store, path, dealer)[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "/data/trends/a'b",
        f"/data/trends/{'x' * 65}",
        "/data/shoe/t1",
        "/data/shoe/t1?unit=u1&shoe=-1",
        "/data/shoe/t1?unit=u1&shoe=9999999999",
        "/data/shoe/t1?unit=%27&shoe=1",
        "/data/book/other",
    ],
)
def test_a_name_that_is_none_is_not_found(store: str, path: str) -> None:
    assert get(store, path)[0] == 404


def test_a_store_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    status, answer = get(str(tmp_path / "missing.db"), "/data/trends/t1")
    assert (status, answer["ok"], "cannot be read now" in answer["say"]) == (503, False, True)
