"""Expected: the sections of the reports that are compared, each with its keys and its rows from the truth."""

from day import expected_people as people
from day import expected_play as play
from day.period import Section

MONTH = {
    "payments": Section(("table", "opened"), people.payments),
    "large_payments": Section(("table", "opened"), people.large_payments),
    "misdeliveries": Section(("table", "time"), people.misdeliveries),
}

DAY = {
    "shoes": Section(("table", "shoe"), play.shoes),
    "coups": Section(("table", "kind"), play.coups),
    "irregularities": Section(("table", "time", "name"), play.irregularities),
    "voids": Section(("table", "shoe", "coup"), play.voids),
    "discrepancies": Section(("table", "shoe", "coup"), play.discrepancies),
    "unwagered": Section(("table", "shoe", "coup"), play.unwagered),
    "deck_checks": Section(("table", "time"), play.deck_checks),
    "keyed_cards": Section(("table", "time"), play.keyed_cards),
    "responses": Section(("name",), play.responses),
    "alarms": Section(("table", "raised", "name"), play.alarms),
    "decisions": Section(("table", "time", "verb"), people.decisions),
    "incidents": Section(("table", "opened", "kind"), people.incidents),
    "steps": Section(("table", "shoe", "coup", "kind", "name"), people.steps),
    "notifications": Section(("table", "opened", "kind", "to"), people.notifications),
    "played": Section(("table",), play.played),
}
