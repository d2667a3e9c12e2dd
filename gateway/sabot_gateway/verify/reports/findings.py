"""Reports of findings: one alarm `discrepancy` for all that does not agree in an event, and one for each other."""

from collections.abc import Iterable

from msgspec.structs import replace

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.records import Record
from sabot_gateway.verify.reports import coups
from sabot_gateway.verify.reports.context import Common, Context


def alarms(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """Return the alarms of these findings, and the coup that they dispute."""
    common = context.common(event)
    out: list[Record] = []
    differ = [finding for finding in found if finding.name == "discrepancy"]
    for other in (finding for finding in found if finding.name != "discrepancy"):
        text = {
            "say": other.fact,
            "clause": other.clause,
            "shoe_says": other.shoe_says,
            "cards_say": other.cards_say,
        }
        out += context.raise_alarm(common, other.name, **text)
    return out + _discrepancy(context, event, common, differ) if differ else out


def _discrepancy(context: Context, event: Event, common: Common, differ: list[Finding]) -> list[Record]:
    coup_no = max(finding.coup_no for finding in differ)
    out = _dispute(context, event, common, coup_no, differ) if coup_no else []
    fact = _once((finding.fact for finding in differ), " ")
    return out + context.raise_alarm(
        {**common, "coup": coup_no},
        "discrepancy",
        say=f"{fact} {wording.after_discrepancy(context.book.id, coup_no)}",
        clause=_once((finding.clause for finding in differ), ", "),
        shoe_says=_once((finding.shoe_says for finding in differ), "; "),
        cards_say=_once((finding.cards_say for finding in differ), "; "),
    )


def _dispute(context: Context, event: Event, common: Common, coup_no: int, differ: list[Finding]) -> list[Record]:
    """Publish a coup that has its result again, as disputed; note the doubt about one that has not."""
    where, entry = (event.unit, common["shoe"], coup_no), all(finding.entry for finding in differ)
    last, disputed = context.disputes.last_at(where), context.disputes.at(where)
    if disputed:
        if not entry:
            context.disputes.dispute_further(disputed)
        return []
    if not last or last.kind == "void":
        context.state.doubtful.add(coup_no)
        return []
    context.state.decision_cleared = False
    changes = {"id": f"{common['id']}-disputed", "event_no": event.event_no, "time": common["time"]}
    return coups.publish(context, replace(last, **changes, status="disputed", corrects=last.id), entry=entry)


def _once(texts: Iterable[str], between: str) -> str:
    return between.join(dict.fromkeys(filter(None, texts)))
