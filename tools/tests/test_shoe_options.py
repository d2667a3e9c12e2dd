"""Options of `sabot shoe`: what makes no sense with a kind of shoe is refused with a sentence; settings of the line."""

import pytest
import typer
from sabot_sim.angel_eye.settings import LineFaults, Settings
from sabot_tools.options.shoe import Line, refuse_other_kind, refuse_table
from sabot_tools.stand.angel_eye_table import AngelEyePlan
from sabot_tools.stand.emulated_shoe import EmulationPlan
from sabot_tools.stand.shoe_port import ShoePortError
from sabot_tools.stand.shoe_run import config_lines, tcp_address

OWN = {"--unit": None, "--key": None, "--state": None, "--card-set": None, "--firmware-key": None}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("--unit", "an Angel Eye has no identity on its line; leave --unit out"),
        ("--key", "an Angel Eye has no key; leave --key out"),
        ("--firmware-key", "an Angel Eye takes no firmware from a gateway; leave --firmware-key out"),
        ("--state", "an Angel Eye keeps no log that could continue; leave --state out"),
        ("--card-set", "an Angel Eye does not report the card set; leave --card-set out"),
    ],
)
def test_an_option_of_our_own_shoe_is_refused(name: str, why: str) -> None:
    with pytest.raises(typer.BadParameter) as refused:
        refuse_other_kind("angel-eye", {**OWN, name: 1}, Line())
    assert refused.value.message == why
    refuse_other_kind("sabot", {**OWN, name: 1}, Line())


@pytest.mark.parametrize("line", [Line(interleaved=True), Line(bad_line=0.0), Line(naks=0.5), Line(burn="none")])
def test_an_option_of_the_angel_eye_is_refused(line: Line) -> None:
    with pytest.raises(typer.BadParameter, match="it is only for --kind angel-eye; leave --"):
        refuse_other_kind("sabot", OWN, line)
    refuse_other_kind("angel-eye", OWN, line)


@pytest.mark.parametrize("name", ["a b/#", "", "bac/01", "bac\n01"])
def test_a_name_that_no_gateway_takes_is_refused(name: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a name of a table: write letters, digits, - and _"):
        refuse_table(name)
    refuse_table("bac-01")


def test_a_port_that_no_machine_has_is_refused() -> None:
    with pytest.raises(ShoePortError, match="--tcp 65536: the highest port is 65535; choose another port"):
        tcp_address(None, "65536")
    assert tcp_address(None, "65535") == ("127.0.0.1", 65_535)


def test_settings_of_the_line() -> None:
    assert Line().settings() == Settings(burn="one")
    line = Line("1-F", 9600, 20.0, True, "without-stx", 0.75, 0.5, "first-card", 7)
    assert line.settings() == Settings(
        cycle="123456789ABCDEF",
        baud=9600,
        gap_s=(0.02, 0.02),
        interleaved=True,
        data_bits=7,
        bcc_with_stx=False,
        burn="first_card",
        faults=LineFaults(flipped=0.25, cut=0.25, lost=0.25, noise=0.25, refused=0.5),
    )


def test_the_lines_for_the_config() -> None:
    plan = EmulationPlan("bac-01", "star-baccarat", 8, 1.0, 1, None, AngelEyePlan(Line(baud=9600).settings()))
    assert config_lines(plan, "/dev/pts/7") == (
        '[[table]]\nname = "bac-01"\nport = "/dev/pts/7"\nrulebook = "star-baccarat"\ndecks = 8\n'
        'driver = "angel-eye"\nshoe.dealing = "face_up"\nbaud = 9600\n'
    )
