"""[web] of the floor's config: wrong keys and values are named, all at once; what check and status report."""

from pathlib import Path

import pytest
import trustme
from sabot_floor import config as configs
from sabot_floor.web import check
from sabot_floor.web.config import Web

HEAD = 'site = "sydney"\nstore = "floor.db"\nbroker = "mqtt://localhost:1883"\n'


def problems(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "floor.toml"
    path.write_text(HEAD + text)
    config, found = configs.read(path)
    return [*found, *(configs.problems(config) if config is not None else [])]


def test_without_web_there_are_no_pages(tmp_path: Path) -> None:
    assert problems(tmp_path, "") == []
    [fact] = check.facts(None)
    assert (fact.status, "serves no pages" in fact.says) == ("ok", True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[web]\nport = 80", "web.port: no such key"),
        ("[web]\nlisten = 8480", "web.listen = 8480; write"),
        ('[web]\nlisten = "localhost"', "web.listen = 'localhost': write address and port"),
        ('[web]\nlisten = "localhost:99999"', "web.listen = 'localhost:99999': write address and port"),
        ('[web]\nhosts = "one.example"', "web.hosts = "),
        ('[web]\nhosts = ["<script>"]', "web.hosts = "),
        ('[web]\nproxies = ["all"]', "web.proxies = "),
        ("[web]\nidle_s = 0", "web.idle_s = 0; write seconds from 10 to 86400"),
        ('[web]\nlanguage = "fr"', "web.language = 'fr': there are en, zh-Hans, zh-Hant"),
        ('[web]\nlanguages = "nowhere"', "No such file or directory; give a directory with language files"),
        ('[web]\ncertificate = "web.pem"', "web.certificate and web.key go together; give both or none"),
        ('[web]\ncertificate = "web.pem"\nkey = "web.key"', "give PEM files that belong together"),
        ('web = "yes"', "web = 'yes'; write a table: [web]"),
    ],
)
def test_a_wrong_key_or_value_is_named(tmp_path: Path, text: str, problem: str) -> None:
    found = problems(tmp_path, text)
    assert len(found) == 1
    assert problem in found[0].replace('"', "'")


def test_two_files_that_do_not_belong_together_are_found(tmp_path: Path) -> None:
    for name in ("one", "two"):
        issued = trustme.CA().issue_cert("localhost")
        (tmp_path / f"{name}.pem").write_bytes(issued.cert_chain_pems[0].bytes())
        (tmp_path / f"{name}.key").write_bytes(issued.private_key_pem.bytes())
    assert problems(tmp_path, '[web]\ncertificate = "one.pem"\nkey = "one.key"') == []
    [found] = problems(tmp_path, '[web]\ncertificate = "one.pem"\nkey = "two.key"')
    assert "give PEM files that belong together" in found


def test_check_tries_the_port_and_warns_of_pins_in_plain_text() -> None:
    with check.listen(Web(listen="127.0.0.1:0")) as other:
        busy = f"127.0.0.1:{other.getsockname()[1]}"
        [fact] = check.facts(Web(listen=busy))
        assert fact.status == "warning"
        assert f"{busy}: Address already in use" in fact.says
    [free] = check.facts(Web(listen=busy))
    assert (free.status, free.says) == ("ok", f"pages at http://{busy}/")
    public = list(check.facts(Web(listen="0.0.0.0:0")))
    assert [one.status for one in public] == ["ok", "warning"]
    assert "PINs go over the network in plain text" in public[1].says


@pytest.mark.parametrize(
    ("listen", "url"),
    [
        ("127.0.0.1:8480", "http://127.0.0.1:8480/"),
        ("0.0.0.0:80", "http://localhost:80/"),
        ("[::1]:8480", "http://[::1]:8480/"),
    ],
)
def test_the_address_for_a_browser(listen: str, url: str) -> None:
    assert Web(listen=listen).url() == url
