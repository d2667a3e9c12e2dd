"""Fixtures: a shoe on the rig that --bench names, a local site with every part a process, brokers."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from sabot_protocol import rulebooks
from sabot_sim.angel_eye.settings import Settings
from sabot_sim.rigs.board import BoardRig
from sabot_sim.rigs.rig import BenchError, Rig
from sabot_sim.rigs.unix import UnixRig
from sabot_tools.replay.on_bench import BENCHES, is_port, shared_broker, started_chip
from sabot_tools.stand.angel_eye_table import AngelEyePlan
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.local_site import LocalSite, SitePlan
from support import whole_files
from support.bench_shoe import Shoe
from support.brokers import Site
from support.flow_table import FlowTable
from support.screens import browser, playwright_loop, screen_site, screens
from support.site_watcher import FLAT_OUT, SiteWatcher, WatchSite

__all__ = ["browser", "screen_site", "screens"]  # fixtures of pages


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses where the firmware runs."""
    parser.addoption("--bench", default="unix", help="unix, rp2040, or the serial port of a board; unix by default")


def pytest_configure(config: pytest.Config) -> None:
    """Add the marker for the benches that a test needs."""
    config.addinivalue_line("markers", "benches(*names): the benches that this test can run on")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Have each file of pages run by one worker, unless another distribution was asked for."""
    return whole_files.scheduler(config, log) if config.getoption("dist") == "load" else None


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test of the emulated chip in a fork, with its own copy of a started chip."""
    if item.config.getoption("--bench") != "rp2040" or "shoe" not in getattr(item, "fixturenames", ()):
        return None
    try:
        started_chip()
    except BenchError:
        return None  # its fixture skips it with the reason
    from sabot_sim.chip.rp2040 import in_fork

    hook, where = item.ihook, {"nodeid": item.nodeid, "location": item.location}
    hook.pytest_runtest_logstart(**where)
    for data in in_fork(_reports, item, nextitem):
        report = hook.pytest_report_from_serializable(config=item.config, data=data)
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(**where)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Have playwright find its loop in tests with a browser."""
    if "browser" in getattr(item, "fixturenames", ()):
        playwright_loop.show()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Hide playwright's loop from the tests that follow, of any folder."""
    try:
        return (yield)
    finally:
        playwright_loop.hide()


def _reports(item: pytest.Item, nextitem: pytest.Item | None) -> list[dict[str, Any]]:
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    return [item.ihook.pytest_report_to_serializable(config=item.config, report=report) for report in reports]


@pytest.fixture
def bench(request: pytest.FixtureRequest) -> str:
    """Return the bench of this run; skip a test that cannot run there."""
    name: str = request.config.getoption("--bench")
    marker = request.node.get_closest_marker("benches")
    if marker is not None and name not in marker.args:
        pytest.skip(f"this test needs the bench {' or '.join(marker.args)}, not {name}")
    return name


def rig_of(bench: str, work_dir: Path) -> Rig:
    """Return the rig of this name with its shoe switched off; skip with the reason if there is none."""
    try:
        if bench == "rp2040":
            from sabot_sim.chip.rp2040 import ChipRig

            return ChipRig(started_chip())
        if bench == "unix":
            return UnixRig(work_dir)
        if is_port(bench):
            return BoardRig(bench)
    except BenchError as error:
        pytest.skip(str(error))
    raise pytest.UsageError(f"--bench {bench}: choose one of {', '.join(BENCHES)}, or a board's port")


@pytest.fixture
def shoe(bench: str, tmp_path: Path) -> Iterator[Shoe]:
    """Yield a started shoe; at the end its counters of loss, fault and reject must be as expected, zero by default."""
    made = Shoe(rig_of(bench, tmp_path))
    try:
        made.power_on()
        yield made
        assert made.counted() == +made.expected
    finally:
        made.rig.close()


@pytest.fixture(scope="session")
def server() -> Iterator[LocalBroker]:
    """Yield one broker for all replays of this process."""
    with shared_broker() as found:
        yield found


@pytest.fixture(scope="session")
def table(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, server: LocalBroker
) -> Iterator[FlowTable]:
    """Yield the table of the rulebook that the test names, one for all flows: the fewest decks, dealt face up."""
    book: str = request.param
    decks = min(rulebooks.load(book).decks.allowed)
    made = FlowTable(tmp_path_factory.mktemp(book), server, book, decks, dealing="face_up")
    yield made
    made.close()


@pytest.fixture
def watch_site(tmp_path: Path) -> Iterator[WatchSite]:
    """Start a local site and watch it; it is stopped after the test."""
    with ExitStack() as stack:

        def start(**plan: Any) -> SiteWatcher:
            plan = {"speed": FLAT_OUT, "angel_eye": AngelEyePlan(Settings(boot_s=0.2)), **plan}
            return SiteWatcher(stack.enter_context(LocalSite(SitePlan(tmp_path, **plan))))

        yield start


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Yield a starter of brokers; they are stopped after the test."""
    made = Site(tmp_path)
    yield made
    made.children.stop()
