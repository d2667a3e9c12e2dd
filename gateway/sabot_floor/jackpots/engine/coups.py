"""Coups of a table: which numbers of a shoe have an increment, which are missing, and those missed altogether."""

from sabot_floor.jackpots.engine.state import Block, JackpotState, Missed, Place, Shoe

MOST_SHOES = 4  # remembered per table
MOST_MISSING = 100  # per shoe
MOST_BLOCKS = 50  # remembered per jackpot, made good or not
MOST_MISSED = 500  # listed one by one, per jackpot; more are summed up per table


def place_of(state: JackpotState, table: str) -> Place:
    """Return a table's place; a new one if there is none."""
    place = state.places.get(table)
    if place is None:
        place = state.places[table] = Place()
    return place


def find_shoe(place: Place, unit: str, number: int) -> Shoe | None:
    """Return a shoe; a decision of a person has the gateway's unit, so an unknown unit matches by number."""
    alike = [shoe for shoe in reversed(place.shoes) if shoe.shoe == number]
    exact = [shoe for shoe in alike if shoe.unit == unit]
    known = any(shoe.unit == unit for shoe in place.shoes)
    return exact[0] if exact else alike[0] if alike and not known else None


def count_coup(state: JackpotState, table: str, unit: str, number: int, coup: int) -> tuple[int, ...]:
    """Note that a coup has an increment; return the numbers before it that it shows to be missing."""
    place = place_of(state, table)
    if place.shoes:
        shoe = place.shoes[-1]
        if shoe.newest + 1 == coup and shoe.shoe == number and shoe.unit == unit:
            shoe.newest = coup
            return ()
    found = find_shoe(place, unit, number)
    if found is None:
        from_first = bool(place.shoes) and _elsewhere(state, table, unit, number) is None
        found = _add(place, Shoe(unit, number, 0) if from_first else Shoe(unit, number, coup, first=coup))
    if coup in found.missing:
        found.missing = _without(found.missing, coup)
    return _extend(found, coup)


def counted_elsewhere(state: JackpotState, table: str, unit: str, number: int, coup: int) -> str:
    """Return the other table where this coup of the shoe was counted; empty if there is none."""
    place = state.places.get(table)
    newest = place.shoes[-1] if place is not None and place.shoes else None
    if not unit or (newest is not None and newest.unit == unit and newest.shoe == number):
        return ""
    found = _elsewhere(state, table, unit, number)
    return found[0] if found is not None and _has(found[1], coup) else ""


def miss_coup(place: Place, unit: str, number: int, coup: int) -> None:
    """Note that a coup has no increment, because that was found in another way."""
    shoe = find_shoe(place, unit, number) or _add(place, Shoe(unit, number, coup, first=coup))
    _extend(shoe, coup)
    if coup not in shoe.missing:
        shoe.missing = (*shoe.missing, coup)[-MOST_MISSING:]


def make_good(place: Place, missed: Missed) -> None:
    """Note that a coup was made good: a later increment of it must not count by itself."""
    shoe = find_shoe(place, missed.unit, missed.shoe)
    if shoe is None or missed.coup not in shoe.missing:
        return
    shoe.missing = _without(shoe.missing, missed.coup)
    shoe.made_good = (*shoe.made_good, missed.coup)[-MOST_MISSING:]


def was_made_good(place: Place, unit: str, number: int, coup: int) -> bool:
    """Return True if a coup that had no increment was made good."""
    newest = place.shoes[-1] if place.shoes else None
    if newest is not None and newest.unit == unit and newest.shoe == number:
        return coup in newest.made_good
    shoe = find_shoe(place, unit, number)
    return shoe is not None and coup in shoe.made_good


def is_counted(place: Place, unit: str, number: int, coup: int) -> bool:
    """Return True if the coup has an increment, or was made good."""
    shoe = find_shoe(place, unit, number)
    return shoe is not None and _has(shoe, coup)


def block(state: JackpotState, missed: Missed, unit: str, shoe: int, coup: int) -> None:
    """Remember which coups lie in a sum that ends before this coup; what was proposed of them is in the sum."""
    place = place_of(state, missed.table)
    made = Block(missed.id, missed.table, missed.parameters, unit, (shoe, coup))
    if place.shoes:
        last = place.shoes[-1]
        counted = (number for number in range(last.newest, 0, -1) if number not in last.missing)
        made.before, made.after = last.unit, (last.shoe, next(counted, 0))
    state.blocks = [*state.blocks, made][-MOST_BLOCKS:]
    listed = [one for one in state.missed if one.proposed and one.table == made.table]
    inside = [one for one in listed if _covers(made, one.unit, one.shoe, one.coup)]
    if inside:
        state.missed = [one for one in state.missed if one not in inside]
        missed.reason += f"; {len(inside)} coups that were listed before are taken to be among them"


def find_block(state: JackpotState, table: str, unit: str, shoe: int, coup: int) -> Block | None:
    """Return the sum in which a coup lies that has no increment of its own."""
    place = state.places.get(table)
    if not state.blocks or (place is not None and is_counted(place, unit, shoe, coup)):
        return None
    return next((one for one in reversed(state.blocks) if one.table == table and _covers(one, unit, shoe, coup)), None)


def _covers(one: Block, unit: str, shoe: int, coup: int) -> bool:
    ends_later = unit == one.before != one.unit  # another shoe is on the table since
    return (ends_later or (shoe, coup) < one.until) and (unit != one.before or (shoe, coup) > one.after)


def remember(state: JackpotState, missed: Missed) -> None:
    """List what was missed; if there is too much, sum up the oldest per table."""
    state.missed.append(missed)
    if len(state.missed) > MOST_MISSED:
        oldest = next((one for one in state.missed if not (one.trigger or one.proposed or one.reason == _SUM)), None)
        if oldest is not None:
            state.missed.remove(oldest)
            _sum_up(state, oldest)


def find_missed(state: JackpotState, name: str) -> Missed | None:
    """Return what was missed by its id or by the id of its coup."""
    return next((one for one in state.missed if name and name in (one.id, one.coup_id)), None)


def find_missed_at(state: JackpotState, table: str, name: str) -> Missed | None:
    """Return what a table has missed by its id or by the id of its coup."""
    return next((one for one in state.missed if one.table == table and name and name in (one.id, one.coup_id)), None)


_SUM = "older ones, as a sum"


def _sum_up(state: JackpotState, oldest: Missed) -> None:
    name = f"{oldest.table}/older"
    found = find_missed(state, name)
    if found is None:
        found = Missed(name, oldest.table, 0, 0, parameters=oldest.parameters, reason=_SUM)
        state.missed.insert(0, found)
    for one in state.blocks:
        if one.id == oldest.id:
            one.id = name
    found.amount += oldest.amount
    found.coups += oldest.coups


def _add(place: Place, shoe: Shoe) -> Shoe:
    place.shoes = [*place.shoes, shoe][-MOST_SHOES:]
    return shoe


def _extend(shoe: Shoe, coup: int) -> tuple[int, ...]:
    skipped = range(max(shoe.newest + 1, coup - MOST_MISSING), coup)
    shoe.newest = max(shoe.newest, coup)
    if skipped:
        shoe.missing = (*shoe.missing, *skipped)[-MOST_MISSING:]
    return tuple(skipped)


def _has(shoe: Shoe, coup: int) -> bool:
    return coup in shoe.made_good or (shoe.first <= coup <= shoe.newest and coup not in shoe.missing)


def _elsewhere(state: JackpotState, table: str, unit: str, number: int) -> tuple[str, Shoe] | None:
    """Return the other table that had the shoe, and what it counted."""
    for name, place in state.places.items():
        for shoe in place.shoes if name != table else ():
            if shoe.unit == unit and shoe.shoe == number:
                return name, shoe
    return None


def _without(numbers: tuple[int, ...], coup: int) -> tuple[int, ...]:
    return tuple(number for number in numbers if number != coup)
