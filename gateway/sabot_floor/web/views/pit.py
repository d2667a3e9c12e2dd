"""The pit console: alarms, open incidents, newest decisions and the state of all tables; and the panel of one table."""

from collections import Counter
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace
from sabot_protocol import command_acts, incidents, rulebooks
from sabot_protocol.authority import AuthorityError, party_title
from sabot_protocol.irregularities import CASES
from sabot_protocol.rulebooks.incidents import catalogue
from sabot_protocol.table_states import HandMessage
from sabot_protocol.topics import AlarmMessage, IncidentMessage, Severity, StatusMessage, Step
from sabot_service.moment import Moment

from sabot_floor.web.person_acts import PersonAct
from sabot_floor.web.site_state import Link, SiteState, TableState
from sabot_floor.web.views import jackpots, pit_moves, pit_signs
from sabot_floor.web.views.dealer_fault import cause, may_be_out
from sabot_floor.web.views.jackpots import Matter
from sabot_floor.web.views.pit_moves import Move, Place
from sabot_floor.web.views.pit_signs import PitSign

MOST_ALARMS, MOST_INCIDENTS = 200, 100
_WEIGHT: dict[Severity, int] = {"critical": 0, "warning": 1, "info": 2}
_SHUFFLERS = ("", "none")
_BOOKS = frozenset(rulebooks.ids())


class PitAlarm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An active alarm of a table."""

    id: str
    table: str
    area: str = ""
    name: str
    severity: Severity
    state: str
    say: str
    time: str
    shoe: int = 0
    coup: int = 0
    clause: str = ""
    shoe_says: str = ""
    cards_say: str = ""
    by: str = ""
    moves: list[Move] = []


class PitStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step of an incident; `role` and `to` are titles."""

    name: str
    say: str
    clause: str = ""
    role: str = ""
    to: list[str] = []
    due: str = ""
    until: str = ""
    late: bool = False
    done: str = ""
    by: str = ""
    by_role: str = ""
    note: str = ""
    moves: list[Move] = []


class PitIncident(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An open incident of a table."""

    id: str
    table: str
    area: str = ""
    kind: str
    title: str
    say: str
    clause: str = ""
    opened: str
    by: str = ""
    shoe: int = 0
    coup: int = 0
    coup_id: str = ""
    late: bool = False  # one of its open steps is
    until: str = ""  # the next time limit of an open step
    steps: list[PitStep] = []
    moves: list[Move] = []


class PitTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table in the list of all."""

    table: str
    area: str = ""
    rulebook: str = ""
    gateway: str = ""
    link: Link
    phase: str = "unknown"
    shoe: int = 0
    coup: int = 0
    kind: str = "live"
    last_coup: bool = False
    fault: str = ""
    alarms: int = 0
    critical: int = 0
    open: int = 0


class PitGateway(msgspec.Struct, frozen=True):
    """A gateway of the site."""

    name: str
    online: bool
    time: str  # since when


class Pit(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the pit console but the panel of a table."""

    site: str
    link: Link
    tables: list[PitTable]
    gateways: list[PitGateway]
    alarms: list[PitAlarm]  # the most severe first, the newest first among them
    more_alarms: int
    incidents: list[PitIncident]  # late ones first, then by their time limit and age
    more_incidents: int
    acts: list[PersonAct]  # of people at any table, the newest first


class PitPanel(msgspec.Struct, frozen=True, kw_only=True):
    """One table, with everything that a supervisor can do there."""

    table: str
    link: Link
    area: str = ""
    rulebook: str = ""
    title: str = ""  # of the rulebook
    decks: int = 0
    unit: str = ""
    problem: str = ""
    unknown: list[str] = []  # what an Angel Eye has not shown
    hand: HandMessage | None = None
    results: str = ""  # of the shoe on the table, as in its history
    coups: list[int] = []
    undecided: list[int] = []
    shoe_state: str = ""  # open, closed
    moves: dict[str, list[Move]] = {}
    sign: PitSign | None = None


def view(site: SiteState, _key: str, at: Moment) -> Pit:
    """Return the whole floor."""
    tables = [site.tables.get(name) or TableState(name) for name in sorted({*site.tables, *site.floor_tables})]
    twice = site.units_twice(at)
    alarms = [*(one for table in tables for one in _alarms(site, table)), *_twice(site, twice)]
    alarms.sort(key=lambda one: one.time, reverse=True)
    alarms.sort(key=lambda one: (_WEIGHT[one.severity], one.state != "raised"))
    matters = jackpots.matters(site)
    about_money = [_of_jackpot(one, _area(site, one.table)) for one in matters]
    opened = sorted([*about_money, *(one for table in tables for one in _incidents(site, table))], key=_urgency)
    money_at = Counter(one.table for one in matters)
    return Pit(
        site=site.site,
        link=site.site_link(),
        tables=[_table(site, table, money_at[table.name], twice=table.name in twice) for table in tables],
        gateways=[PitGateway(name, site.gateway_up(name), site.away_since(name, at)) for name in sorted(site.gateways)],
        alarms=alarms[:MOST_ALARMS],
        more_alarms=len(alarms[MOST_ALARMS:]) + sum(table.alarms.more for table in tables if table.alarms),
        incidents=opened[:MOST_INCIDENTS],
        more_incidents=len(opened[MOST_INCIDENTS:]) + sum(table.open.more for table in tables if table.open),
        acts=[_with_title(site, act) for act in reversed(site.acts)],
    )


def panel(site: SiteState, key: str, at: Moment) -> PitPanel:
    """Return one table."""
    table = site.tables.get(key) or TableState(key)
    status, history, place = table.status, table.history, _place(table)
    return PitPanel(
        table=key,
        link=site.link(key),
        area=_area(site, key),
        rulebook=place.book if place else "",
        title=rulebooks.load(place.book).title if place else "",
        decks=status.setup.decks if status and status.setup else 0,
        unit=(status.unit if status else "") or "",
        problem=(status.problem if status else "") or "",
        unknown=list(status.unknown) if status else [],
        hand=table.hand,
        results=history.results if history else "",
        coups=history.coups if history else [],
        undecided=history.undecided if history else [],
        shoe_state=table.shoe.state if table.shoe else "",
        moves=_reachable(site, key, pit_moves.of_table(place)) if place else {},
        sign=pit_signs.of_table(site, key, place.book, at) if place else None,
    )


def _reachable(site: SiteState, table: str, groups: dict[str, list[Move]]) -> dict[str, list[Move]]:
    """Return the buttons of a table; none is possible while nobody would take its command."""
    if site.broker and not site.is_away(table):
        return groups
    return {group: [replace(move, not_now="no_gateway") for move in moves] for group, moves in groups.items()}


def _with_title(site: SiteState, act: PersonAct) -> PersonAct:
    """Return an act with the title of the person's role by the table's book."""
    table = site.tables.get(act.table)
    place = _place(table) if table else None
    return replace(act, role=_party(place.book, act.role)) if place and act.role else act


def _urgency(one: PitIncident) -> tuple[bool, str, str]:
    return not one.late, one.until or "~", one.opened


def _area(site: SiteState, name: str) -> str:
    known = site.floor_tables.get(name)
    return known.area if known else ""


def _place(table: TableState) -> Place | None:
    """Return what the moves of a table need; None if its rulebook is not known here."""
    book = table.status.rulebook if table.status else None
    if not book or book not in _BOOKS:
        return None
    known = table.alarms.alarms if table.alarms else []
    out = table.hand is not None and (may_be_out(table.hand, known) or cause(table.hand, known) == "card_foreign")
    return Place(book, table.hand, table.history, _facts(table.status, table.hand), table.status, _case(table), out)


def _case(table: TableState) -> AlarmMessage | None:
    """Return the alarm of the coup on the table after which it can lose its wagers."""
    hand, known = table.hand, table.alarms.alarms if table.alarms else []
    here = (hand.shoe, hand.coup) if hand else None
    found = (one for one in known if (one.shoe, one.coup) == here and one.name in CASES)
    return next((one for one in found if one.shoe_says in command_acts.UNWAGERED_CODES), None)


def _place_of_moves(site: SiteState, table: TableState) -> Place | None:
    """Return what the moves of a table need; None also while nobody would take its commands."""
    return None if not site.broker or site.is_away(table.name) else _place(table)


def _facts(status: StatusMessage | None, hand: HandMessage | None) -> dict[str, bool]:
    """Return what the table itself shows of the facts that decide a clause."""
    setup = status.setup if status else None
    facts = {"system_prompted": True} if hand and hand.authorisation_needed else {}
    if setup is None:
        return facts
    shuffler = setup.shoe.get("shuffler", "") not in _SHUFFLERS
    return facts | {"international": setup.shoe.get("style") == "international", "shuffling_device": shuffler}


def _phase(hand: HandMessage) -> str:
    """Return the phase of the coup on the table; a disputed one waits for a decision, not for Confirm."""
    return "disputed" if hand.result and hand.result.status == "disputed" else hand.phase


def _table(site: SiteState, table: TableState, matters: int, *, twice: bool) -> PitTable:
    hand, status = table.hand, table.status
    active = table.alarms.alarms if table.alarms else []
    incident_count = matters + (len(table.open.incidents) + table.open.more if table.open else 0)
    return PitTable(
        table=table.name,
        area=_area(site, table.name),
        rulebook=(status.rulebook if status else "") or "",
        gateway=(status.gateway if status else "") or "",
        link=site.link(table.name),
        phase=_phase(hand) if hand else "unknown",
        shoe=hand.shoe if hand else 0,
        coup=hand.coup if hand else 0,
        kind=hand.kind if hand else "live",
        last_coup=hand.last_coup if hand else False,
        fault=(hand.fault if hand else "") or (status.fault if status else "") or "",
        alarms=len(active) + (table.alarms.more if table.alarms else 0) + twice,
        critical=sum(alarm.severity == "critical" for alarm in active) + twice,
        open=incident_count,
    )


def _alarms(site: SiteState, table: TableState) -> Iterator[PitAlarm]:
    place = _place_of_moves(site, table)
    for alarm in table.alarms.alarms if table.alarms else ():
        yield _alarm(alarm, _area(site, table.name), table.name, place)


def _twice(site: SiteState, found: dict[str, AlarmMessage]) -> Iterator[PitAlarm]:
    """Yield what no gateway can see; nobody acknowledges it, it ends by itself."""
    for name, alarm in found.items():
        yield _alarm(alarm, _area(site, name), name, None)


def _alarm(alarm: AlarmMessage, area: str, table: str, place: Place | None) -> PitAlarm:
    return PitAlarm(
        id=alarm.alarm,
        table=table,
        area=area,
        name=alarm.name,
        severity=alarm.severity,
        state=alarm.state,
        say=alarm.say,
        time=alarm.time,
        shoe=alarm.shoe,
        coup=alarm.coup,
        clause=alarm.clause,
        shoe_says=alarm.shoe_says,
        cards_say=alarm.cards_say,
        by=alarm.by,
        moves=pit_moves.of_alarm(place, alarm) if place else [],
    )


def _incidents(site: SiteState, table: TableState) -> Iterator[PitIncident]:
    place = _place(table)
    live = _place_of_moves(site, table) is not None
    for one in table.open.incidents if table.open else ():
        found = _incident(one, _area(site, table.name), table.name, place)
        yield found if live else replace(found, moves=[], steps=[replace(step, moves=[]) for step in found.steps])


def _incident(one: IncidentMessage, area: str, table: str, place: Place | None) -> PitIncident:
    waiting = [step for step in one.steps if not step.done]
    return PitIncident(
        id=one.incident,
        table=table,
        area=area,
        kind=one.kind,
        title=incidents.title(one.kind) if one.kind in catalogue().kind else one.kind,
        say=one.say,
        clause=one.clause,
        opened=one.opened,
        by=one.by,
        shoe=one.shoe,
        coup=one.coup,
        coup_id=one.coup_id,
        late=any(step.late for step in waiting),
        until=incidents.next_until(one),
        steps=[_step(one, step, place) for step in one.steps],
        moves=pit_moves.of_incident(place, one) if place else [],
    )


def _of_jackpot(one: Matter, area: str) -> PitIncident:
    """Return what is open about a win as an incident of its table; it is settled at the Jackpot Management Console."""
    say = "Settle it at the Jackpot Management Console: pay or recover the difference first."
    if one.verb == "order":
        say = "Decide the order at the Jackpot Management Console."
    step = PitStep(name=one.verb, say=say, clause=one.who.clause, role=one.who.lowest, to=[])
    return PitIncident(
        id=one.id,
        table=one.table,
        area=area,
        kind=one.kind,
        title=one.title,
        say=one.say,
        clause=one.who.clause,
        opened=one.opened,
        shoe=one.shoe,
        coup=one.coup,
        steps=[step],
    )


def _step(incident: IncidentMessage, step: Step, place: Place | None) -> PitStep:
    book = place.book if place else ""
    return PitStep(
        name=step.name,
        say=step.say,
        clause=step.clause,
        role=_party(book, step.role),
        to=[_party(book, one) for one in step.to],
        due=step.due,
        until=step.until,
        late=step.late,
        done=step.done,
        by=step.by,
        by_role=_party(book, step.by_role),
        note=step.note,
        moves=pit_moves.of_step(place, incident, step) if place else [],
    )


def _party(book: str, name: str) -> str:
    """Return the title of a role or a party; its id if the book does not have it."""
    try:
        return party_title(book, name) if book and name else name
    except (AuthorityError, KeyError):
        return name
