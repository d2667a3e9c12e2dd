"""Authority: whether a role may do an act, by [authority] of a rulebook; one evaluator for every surface."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from sabot_protocol import rulebooks
from sabot_protocol.irregularities import CASES
from sabot_protocol.rulebooks.people import OPERATOR, Act, Authority, Basis, Role, Rule, catalogue

NO_FACTS: Mapping[str, object] = MappingProxyType({})


class AuthorityError(ValueError):
    """A book, role, act or fact that there is not; the message lists those that there are."""


class Verdict(NamedTuple):
    """Whether a role may do an act; `say` has the reason."""

    allowed: bool
    second_person: bool  # another person must approve
    clause: str
    say: str
    notify: tuple[str, ...] = ()  # who must be notified
    row: str = ""
    basis: Basis = "role"
    must: bool = False  # the role has to act
    enforced: bool = True  # False: people do it, and Sabot records it
    lowest: tuple[str, ...] = ()  # the lowest role, and roles outside the order
    second_role: str = ""  # the lowest role of the other person
    assumed: tuple[str, ...] = ()  # facts that were not given and that the verdict takes as the rule needs them


class Person(NamedTuple):
    """A person, by name, in the role that the site gave him."""

    name: str
    role: str


def load(book: str) -> Authority:
    """Return the authority of a book; AuthorityError if there is no such book."""
    try:
        return rulebooks.load(book).authority
    except rulebooks.RulebookError as error:
        raise AuthorityError(str(error)) from error


def find_role(book: str, name: str) -> Role:
    """Return the role with this id, title or alias; AuthorityError if the book has none."""
    roles = load(book).role
    wanted = _plain(name)
    for role in roles:
        if wanted in (role.id, _plain(role.title), *role.aliases):
            return role
    raise AuthorityError(f"{book} has no role {name!r}; there are {', '.join(role.id for role in roles)}")


def ranked(book: str, names: Iterable[str]) -> list[str]:
    """Return the ids of those roles that the book has, highest first; those beside the order are last."""
    known = {role.id for role in load(book).role}
    order = _Order(book)
    return sorted({name for name in names if name in known}, key=order.place)


def check(book: str, act: str, role: str, context: Mapping[str, object] = NO_FACTS, *, operator: str = "") -> Verdict:
    """Return whether the role may do the act; `operator` is the role that the site lets act for the casino operator."""
    wanted, given, facts = _act(book, act), find_role(book, role), _facts(book, act, context)
    order = _Order(book, operator)
    rule = next((rule for rule in wanted.rules if rule.fits(facts)), None)
    if rule is None:
        return _refused_by_facts(wanted, act)
    named, enforced = order.lowest(rule), catalogue().acts()[act].enforced
    allowed = rule.basis in ("auto", "free") or any(order.includes(given, name) for name in named)
    second = order.resolve(rule.second_person) if rule.second_person else ""
    say = _say(book, rule, given, order.titles(named), allowed=allowed)
    if allowed and second:
        say += f"; another person must approve, lowest role {order.titles((second,))}"
    assumed = tuple(sorted(rule.when.keys() - facts.keys()))
    return Verdict(
        allowed, bool(second), rule.clause, say, rule.notify, wanted.row, rule.basis, rule.must, enforced,
        named, second, assumed,
    )  # fmt: skip


def clause(book: str, act: str, context: Mapping[str, object] = NO_FACTS) -> str:
    """Return the clause of an act by these facts, its first where they fit no rule; empty where the book has none."""
    wanted, facts = _act(book, act), _facts(book, act, context)
    return next((rule.clause for rule in wanted.rules if rule.fits(facts)), wanted.clause)


def check_people(
    book: str,
    act: str,
    asks: Person | None,
    approves: Person,
    context: Mapping[str, object] = NO_FACTS,
    *,
    operator: str = "",
) -> Verdict:
    """Return whether these people may do the act: the person who approves is never the person who asks."""
    verdict = check(book, act, approves.role, context, operator=operator)
    if (problem := _names_problem(verdict, asks, approves)) or not verdict.second_person:
        return verdict._replace(allowed=False, say=problem) if problem else verdict
    asking = check(book, act, asks.role if asks else approves.role, context, operator=operator)
    order = _Order(book, operator)
    if asking.allowed and not order.includes(find_role(book, approves.role), asking.second_role):
        lowest = order.titles((asking.second_role,))
        say = f"{approves.name} may not approve this; the lowest role that may is {lowest} ({asking.clause})"
        return asking._replace(allowed=False, say=say)
    return asking


def _names_problem(verdict: Verdict, asks: Person | None, approves: Person) -> str:
    """Return what is wrong with the names, or an empty text."""
    if not approves.name.strip():
        return "the person who approves has no name: give one"
    if asks is not None and same_name(asks.name, approves.name):
        return f"{approves.name} asks for this and cannot approve it: another person must"
    if verdict.second_person and (asks is None or not asks.name.strip()):
        return f"two people are needed ({verdict.clause}): name the person who asks, too"
    return ""


def lowest_role(book: str, act: str) -> str:
    """Return the lowest role that may do the act if the context is empty; empty if no role is needed or may."""
    return next(iter(lowest(book, _act(book, act))), "")


def includes(book: str, role: str, named: str, operator: str = "") -> bool:
    """Return True if a role is the named one, as good as it, or above it; AuthorityError if there is no such role."""
    return _Order(book, operator).includes(find_role(book, role), find_role(book, named).id)


def sees_unturned(book: str, role: str) -> bool:
    """Return True if this role may see a card dealt face down before it is turned; False for an unknown role."""
    return role in load(book).unturned.seen_by


def role_without_rule(book: str, operator: str = "") -> str:
    """Return the lowest role that decides what the rulebook has no rule for (A-80)."""
    return _Order(book, operator).resolve(load(book).unnamed)


def check_without_rule(book: str, role: str, operator: str = "") -> Verdict:
    """Return whether a role may do what the rulebook has no rule for (A-80)."""
    order, given, named = _Order(book, operator), find_role(book, role), role_without_rule(book, operator)
    allowed = order.includes(given, named)
    verb = f"{_article(given.title)} {given.title} {'may' if allowed else 'may not'} do this"
    say = f"{verb}; {book} has no rule for it, and by our reading the lowest role that may is {order.titles((named,))}"
    return Verdict(allowed, False, "", say, basis="silent", lowest=(named,))


def lowest(book: str, rule: Rule, operator: str = "") -> tuple[str, ...]:
    """Return the lowest role that may act by a rule, and roles outside the order."""
    return _Order(book, operator).lowest(rule)


def lowest_titles(book: str, rule: Rule, operator: str = "") -> str:
    """Return the titles of these roles, joined by `or`."""
    order = _Order(book, operator)
    return order.titles(order.lowest(rule))


class _Order:
    """The roles of a book in order, with the operator as this site has it."""

    def __init__(self, book: str, operator: str = "") -> None:
        self._book, self._authority = book, load(book)
        self._operator = find_role(book, operator).id if operator else self._authority.operator
        self._roles = {role.id: role for role in self._authority.role}
        self._ladder = [role.id for role in self._authority.role if not role.beside]

    def resolve(self, name: str) -> str:
        """Return the id of a role as a rule names it."""
        return self._operator if name == OPERATOR else name

    def lowest(self, rule: Rule) -> tuple[str, ...]:
        """Return the roles that the rule names, or those of the reading if it names none."""
        names = rule.names() or ((self._authority.unnamed,) if rule.unnamed else ())
        return tuple(self.resolve(name) for name in names)

    def includes(self, given: Role, named: str) -> bool:
        """Return True if the given role is the named one, as good as it, or above it."""
        wanted = self._roles[named]
        if given.id == wanted.id:
            return True
        if given.beside or (wanted.beside and not wanted.under):
            return False
        return self._rank(given) >= self._rank(self._roles[wanted.under] if wanted.beside else wanted)

    def titles(self, names: tuple[str, ...]) -> str:
        """Return the titles of roles, joined by `or`."""
        return " or ".join(self._roles[name].title for name in names)

    def place(self, name: str) -> tuple[bool, int, str]:
        """Return what sorts roles, highest first; those beside the order are last."""
        role = self._roles[name]
        return role.beside, 0 if role.beside else -self._ladder.index(name), name

    def _rank(self, role: Role) -> int:
        return self._ladder.index(role.counts_as or role.id)


def _act(book: str, act: str) -> Act:
    acts = load(book).act
    if act not in acts:
        raise AuthorityError(f"{book} has no act {act!r}; there are {', '.join(acts)}")
    return acts[act]


def _facts(book: str, act: str, context: Mapping[str, object]) -> dict[str, bool]:
    """Return the context as facts; those of other acts and of irregularities are accepted and change nothing."""
    known: dict[str, bool] = {}
    for fact, value in context.items():
        if fact not in catalogue().fact and not any(fact in facts for facts in CASES.values()):
            deciding = _act(book, act).facts()
            found = f"{act} in {book} is decided by {', '.join(deciding) or 'no facts'}"
            raise AuthorityError(f"context.{fact}: unknown fact; {found}; all facts: {', '.join(catalogue().fact)}")
        if not isinstance(value, bool):
            raise AuthorityError(f"context.{fact}: {value!r} is neither true nor false")
        known[fact] = value
    return known


def _refused_by_facts(act: Act, act_id: str) -> Verdict:
    cases = ", or if ".join(condition(rule) for rule in act.rules)
    say = f"the rulebook allows this only if {cases} ({act.clause})"
    enforced = catalogue().acts()[act_id].enforced
    return Verdict(False, False, act.clause, say, row=act.row, basis="never", enforced=enforced)


def condition(rule: Rule) -> str:
    """Return the facts of a rule as text; empty if it always applies."""
    texts = catalogue().fact
    return " and ".join(texts[fact][0 if value else 1] for fact, value in rule.when.items())


def _say(book: str, rule: Rule, given: Role, lowest: str, *, allowed: bool) -> str:
    if rule.basis == "silent":
        text = load(book).elsewhere if rule.elsewhere else ""
        return f"{book} has no rule for this" + (
            f"; it is ruled in {text}, which is not part of this text" if text else ""
        )
    if rule.basis == "never":
        return f"nobody may do this ({rule.clause})"
    if rule.basis == "auto":
        return f"the rule works without approval ({rule.clause})"
    if rule.basis == "free":
        return f"players need no approval ({rule.clause})"
    verb = f"{_article(given.title)} {given.title} {'may' if allowed else 'may not'} do this"
    reading = "; the rulebook names no role, and by our reading" if rule.basis == "unnamed" else ";"
    return f"{verb}{reading} the lowest role that may is {lowest} ({rule.clause})"


def party_title(book: str, party: str) -> str:
    """Return the title of a role or of a party that is notified."""
    return next((role.title for role in load(book).role if role.id == party), "") or catalogue().party[party]


def _article(title: str) -> str:
    return "an" if title[0] in "AEIOU" else "a"


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def same_name(one: str, other: str) -> bool:
    """Return True if two names are those of one person."""
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
