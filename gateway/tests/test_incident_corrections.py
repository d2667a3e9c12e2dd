"""A later report about the same coup and case corrects the open incident; what no longer applies is not needed."""

from incident_log import IncidentLog
from test_desk_incidents import ask, bench, one

IN_TIME = {"notified_before_next": True}


def misdealt() -> IncidentLog:
    """Star 12.1.1: a misdeal that is notified in time and can be reconstructed."""
    log = IncidentLog("star-baccarat")
    log.deal("9S 2H")
    log.reported("bad_order", "RECON_WITHDRAW", reconstructible=True, **IN_TIME)
    assert log.states() == [("misdeal", "open", ["reconstruct"])]
    return log


def test_a_misdeal_that_was_notified_too_late_needs_no_reconstruction() -> None:
    log = misdealt()
    log.reported("bad_order", "PLAY_ON", reconstructible=True, notified_before_next=False)  # 12.1.4
    assert log.states() == [("misdeal", "open", ["reconstruct"]), ("misdeal", "closed", [])]
    assert log.step("reconstruct").note == "not needed: corrected by a later report"
    assert log.step("notice").late
    assert (log.one().facts["notified_before_next"], "12.1.4" in log.one().clause) == (False, True)


def test_so_does_a_late_report_during_the_next_coup() -> None:
    log = misdealt()
    log.card("TD", "player_2")
    log.card("3C", "banker_2")
    log.result()
    log.coup_no += 1
    log.reported("bad_order", "PLAY_ON", reconstructible=True, notified_before_next=False)
    assert log.states()[-1] == ("misdeal", "closed", [])
    assert log.one().coup == 1


def test_a_coup_that_cannot_be_reconstructed_after_all_is_void() -> None:
    log = misdealt()
    log.reported("bad_order", "VOID", reconstructible=False, **IN_TIME)  # 12.1.2
    assert log.states()[-1] == ("misdeal", "open", ["void"])
    log.reported("bad_order", "RECON_WITHDRAW", reconstructible=True, **IN_TIME)
    assert log.states()[-1] == ("misdeal", "open", ["reconstruct"])
    count = len(log.incidents)
    log.reported("bad_order", "RECON_WITHDRAW", reconstructible=True, **IN_TIME)
    assert len(log.incidents) == count


def test_another_case_or_another_coup_is_another_incident() -> None:
    log = misdealt()
    log.coup_no += 1
    log.reported("bad_order", "RECON_WITHDRAW", reconstructible=True, **IN_TIME)
    assert [(one.coup, one.state) for one in log.open_book.open()] == [(1, "open"), (2, "open")]


def test_a_void_misdeal_that_is_recorded_is_not_also_to_be_reconstructed() -> None:
    for book in ("star-baccarat", "star-premium"):
        made = bench(book)
        ask(made, "record", act="void_misdeal")
        assert [step.name for step in one(made).steps] == ["notice", "void"]
