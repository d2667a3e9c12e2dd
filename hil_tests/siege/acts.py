"""The table of every act of a hostile shoe."""

from siege import acts_line as line
from siege import acts_log as log
from siege.stage import Act

ACTS: dict[str, Act] = {
    act.__name__: act
    for act in (
        *(line.random_bytes, line.zeros, line.endless, line.oversize, line.flood, line.frame_flood),
        *(line.slow_loris, line.silence, line.unknown_types, line.headers, line.hello_flood, line.hello_numbers),
        *(line.hello_random, line.other_protocol, line.busy_flood, line.replayed, line.storm, line.churn),
        *(log.plays, log.mutated, log.unreadable, log.random_events, log.number_jump, log.high_numbers, log.wiped),
        *(log.clock_jumps, log.disputes, log.alarms, log.shoes, log.false_answers, log.other_profiles, log.times),
        *(log.states, log.sequence, log.overfull, log.huge_cards, log.rewritten, log.commands_end),
    )
}
