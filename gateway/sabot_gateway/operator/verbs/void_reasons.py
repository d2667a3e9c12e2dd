"""Void reasons: what of the table contradicts the reason of a void, so that nobody chooses it for the role it needs."""

from sabot_gateway.verify import Verifier

_DISPUTES = ("discrepancy", "not_confirmed", "scan_discrepancy")  # alarms


def contradiction(reason: str, verifier: Verifier) -> str:
    """Return why the coup on the table is not void for this reason, and the next step; empty if it can be."""
    if reason != "discrepancy" or is_disputed(verifier):
        return ""
    return (
        "by the log the shoe and the cards of this coup agree. If they do not, report it: "
        f"`sabot table {verifier.table} report scan_discrepancy --no-fact confirmed --by NAME`; else give the true "
        "reason."
    )


def is_disputed(verifier: Verifier) -> bool:
    """Return True if shoe and cards disagree about the coup on the table, or if that is not known."""
    state = verifier.state
    on_table = state.coup_on_table()
    if on_table is None:
        return True
    last = verifier.disputes.last_at((state.unit, *on_table))
    if (last and last.status in ("disputed", "void")) or on_table[1] in state.doubtful:
        return True
    alarms = verifier.alarms.named(*_DISPUTES)
    in_log = any(number == on_table[1] and case == "scan_discrepancy" for number, case, _ in state.cases)
    return in_log or any((alarm.shoe, alarm.coup) == on_table for alarm in alarms)
