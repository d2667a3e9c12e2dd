"""Log-in, sessions and acts over HTTP: what a page may do, and what no page of another site can."""

import json
import sqlite3
from collections.abc import Iterator

import pytest
from support.screens import FIRST_PIN, ScreenSite, wait_for
from support.visitor import Visitor

PIN, BADGE = "730155", "00417733"
NOTHING = {"do": "table", "table": "no-such", "command": "confirm"}


@pytest.fixture(scope="module")
def site(screen_site: ScreenSite) -> ScreenSite:
    screen_site.person("vera", PIN, badge=BADGE, crown_baccarat="area_manager")
    return screen_site


@pytest.fixture
def visitor(site: ScreenSite) -> Iterator[Visitor]:
    """Yield a visitor who has logged in as Vera."""
    made = Visitor(site.url)
    reply = made.log_in("vera", PIN)
    assert reply.status == 200, reply.body
    yield made
    made.post("/logout", {})


def newest(site: ScreenSite, kind: str) -> dict[str, str]:
    """Return the newest entry of this kind in the log of people."""
    with sqlite3.connect(f"file:{site.work_dir}/floor.db?mode=ro", uri=True) as store:
        rows = store.execute("SELECT payload FROM entries WHERE log = 'people' ORDER BY seq DESC").fetchall()
    found = (json.loads(row[0]) for row in rows)
    return next(one for one in found if one["kind"] == kind)


def test_a_log_in_opens_a_session_and_the_log_has_it(site: ScreenSite, visitor: Visitor) -> None:
    found = visitor.get("/session").json()
    assert (found["person"], found["name"], found["roles"]) == (
        "vera",
        "Vera of vera",
        {"crown-baccarat": "area_manager"},
    )
    assert (found["idle_s"], found["token"]) == (300, visitor.token)
    entry = newest(site, "login")
    assert (entry["person"], entry["means"], entry["by"]) == ("vera", "secret", "web 127.0.0.1")


def test_a_badge_shows_who_it_is(site: ScreenSite) -> None:
    visitor = Visitor(site.url)
    assert visitor.log_in("badge", BADGE, "dealer").json()["person"] == "vera"
    assert newest(site, "login")["means"] == "badge"
    assert visitor.get("/session").json()["idle_s"] == 3600
    visitor.post("/logout", {})


def test_the_cookie_is_for_no_script_and_no_other_site(site: ScreenSite) -> None:
    reply = Visitor(site.url).log_in("vera", PIN)
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert "Max-Age" not in cookie
    token = cookie.split("=")[1].split(";")[0]
    assert len(token) == 43  # 32 bytes
    assert token not in reply.body.decode()


def test_an_act_is_logged_in_by_the_session(site: ScreenSite, visitor: Visitor) -> None:
    site.publisher().table("acc-01", rulebook="nz-baccarat")
    body = {"do": "table", "table": "acc-01", "command": "confirm", "clause": "7.3.2"}
    wait_for(lambda: "vera has no role in nz-baccarat" in visitor.post("/act", body).json()["say"])
    entry = newest(site, "login")
    assert (entry["means"], entry["act"], entry["by"]) == ("session", "confirm acc-01", "web 127.0.0.1")


@pytest.mark.parametrize(
    ("person", "secret", "status", "say"),
    [
        ("vera", "111222", 401, "Not logged in: the id, the PIN"),
        ("nobody", "111222", 401, "Not logged in: the id, the PIN"),
        ("badge", "11112222", 401, "Not logged in: the id, the PIN"),
        ("", "", 400, "Give a person"),
        ("vera", "session:abc", 400, "Give a PIN"),
        ("vera", "x" * 200, 400, "Give a person"),
    ],
)
def test_a_wrong_or_missing_log_in_is_refused(
    site: ScreenSite, person: str, secret: str, status: int, say: str
) -> None:
    visitor = Visitor(site.url)
    reply = visitor.log_in(person, secret)
    assert (reply.status, say in reply.json()["say"]) == (status, True), reply.body
    assert visitor.cookies == {}
    assert Visitor(site.url).log_in("vera", PIN).status == 200  # ends those of vera


def test_an_address_is_locked_out_after_ten_failures_and_others_are_not(site: ScreenSite) -> None:
    visitor = Visitor(site.url, "127.0.0.99")
    for number in range(10):
        assert "Not logged in" in visitor.log_in(f"nobody-{number}", "111222").json()["say"]
    assert "Too many log-ins have failed at this screen" in visitor.log_in("vera", PIN).json()["say"]
    assert Visitor(site.url).log_in("vera", PIN).status == 200


def test_a_pin_of_an_administrator_is_changed_at_the_page_before_the_first_act(site: ScreenSite) -> None:
    site.person("newt", "628318", crown_baccarat="area_manager")
    assert site.ask("user-pin", person="newt", secret=FIRST_PIN).ok
    visitor, other = Visitor(site.url), Visitor(site.url)
    assert other.log_in("newt", FIRST_PIN).json()["change_pin"] is True
    assert visitor.log_in("newt", FIRST_PIN).json()["change_pin"] is True
    site.publisher().table("acc-02", rulebook="crown-baccarat")
    body = {"do": "table", "table": "acc-02", "command": "confirm", "clause": "7.3.2"}
    wait_for(lambda: "“Change PIN” on this page" in visitor.post("/act", body).json()["say"])
    assert "had this PIN" in visitor.post("/pin", {"secret": FIRST_PIN, "new": "628318"}).json()["say"]
    assert visitor.post("/pin", {"secret": FIRST_PIN}).status == 400
    assert visitor.post("/pin", {"secret": FIRST_PIN, "new": "951377"}, x_sabot_token=None).status == 403
    changed = visitor.post("/pin", {"secret": FIRST_PIN, "new": "951377"})
    assert (changed.status, changed.json()["change_pin"]) == (200, False), changed.body
    assert visitor.get("/session").json()["person"] == "newt"
    assert other.get("/session").json() == {"person": None}


def test_without_a_session_there_are_no_acts(site: ScreenSite) -> None:
    visitor = Visitor(site.url)
    assert visitor.get("/session").json() == {"person": None}
    assert visitor.post("/act", NOTHING).status == 401
    assert visitor.post("/session", {}).status == 401
    visitor.cookies["sabot_session"] = "A" * 43
    assert visitor.post("/act", NOTHING).status == 403
    assert visitor.get("/session").json() == {"person": None}


FORGED: list[dict[str, str | None]] = [
    {"origin": "https://evil.example"},
    {"origin": None},
    {"origin": "null"},
    {"content_type": "text/plain"},
    {"content_type": "application/x-www-form-urlencoded"},
    {"content_type": None},
    {"x_sabot_token": None},
    {"x_sabot_token": "0" * 64},
]


def test_a_forged_form_is_refused(visitor: Visitor) -> None:
    for path in ("/act", "/logout", "/session"):
        for changes in FORGED:
            reply = visitor.post(path, NOTHING, **changes)
            assert reply.status == 403, (path, changes)
            assert not reply.json()["ok"]
    assert visitor.get("/session").json()["person"] == "vera"


def test_a_log_in_from_another_site_is_refused(site: ScreenSite) -> None:
    body = {"person": "vera", "secret": PIN}
    assert Visitor(site.url).post("/login", body, origin="https://evil.example").status == 403
    assert Visitor(site.url).post("/login", body, content_type="text/plain").status == 403


WRONG = [
    b"",
    b"[]",
    b"{",
    b"\xff",
    b'{"do": "table"}',
    b'{"do": "shell", "command": "ls"}',
    b'{"do": "table", "table": "../x", "command": "confirm"}',
    b'{"do": "table", "table": "a", "command": "confirm", "login": {"person": "boss", "secret": "1"}}',
    b'{"do": "table", "table": "a", "command": "confirm", "second": {"person": "vera", "secret": "session:x"}}',
    b'{"do": "jackpot", "verb": "user-add", "args": {"person": "eve"}}',
    b'{"do": "jackpot", "verb": "confirm", "args": {"jackpot": "j", "win": "w", "role": "boss"}}',
    b'{"do": "jackpot", "verb": "accept", "args": {"reason": "r"}}',
    b'{"do": "table", "table": "a", "command": "confirm", "args": ' + b"[" * 9000 + b"]" * 9000 + b"}",
    b'{"do": "table", "table": "a", "command": "confirm", "args": ' + b"[" * 7000 + b"]" * 7000 + b"}",
]


def test_a_wrong_body_is_refused_with_a_sentence(visitor: Visitor) -> None:
    for body in WRONG:
        reply = visitor.send("POST", "/act", body)
        assert reply.status == (400 if len(body) <= 16_384 else 413), body[:100]
        assert reply.json()["say"]
    assert visitor.send("POST", "/act", b" " * 100_000).status == 413


def test_a_session_ends_when_the_person_logs_out(site: ScreenSite) -> None:
    visitor = Visitor(site.url)
    visitor.log_in("vera", PIN)
    kept = dict(visitor.cookies)
    assert visitor.post("/logout", {}).json()["ok"]
    assert visitor.cookies["sabot_session"] == ""
    visitor.cookies = kept  # a copy of the cookie is worth nothing
    assert visitor.get("/session").json() == {"person": None}
    assert visitor.post("/act", NOTHING).status == 401


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("user-pin", {"secret": "902817"}),
        ("user-role", {"rulebook": "crown-baccarat", "role": "dealer"}),
        ("user-disable", {}),
    ],
)
def test_a_session_ends_when_the_record_changes(site: ScreenSite, verb: str, args: dict[str, str]) -> None:
    name = f"temp-{verb}"
    site.person(name, "681902", crown_baccarat="area_manager")
    visitor = Visitor(site.url)
    visitor.log_in(name, "681902")
    assert visitor.get("/session").json()["person"] == name
    assert site.ask(verb, person=name, **args).ok
    assert visitor.get("/session").json() == {"person": None}
    assert not visitor.post("/act", NOTHING).json()["ok"]
