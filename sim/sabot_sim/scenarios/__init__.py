"""Scenarios: the scripts that recordings are made from, and what must be true of each."""

from sabot_sim.scenarios import clean as clean
from sabot_sim.scenarios import cutting as cutting
from sabot_sim.scenarios import disputes as disputes
from sabot_sim.scenarios import link as link
from sabot_sim.scenarios import overdraws as overdraws
from sabot_sim.scenarios import people as people
from sabot_sim.scenarios import power as power
from sabot_sim.scenarios import reading as reading
from sabot_sim.scenarios import wrong_cards as wrong_cards
from sabot_sim.scenarios.catalogue import SCENARIOS, TOPICS, Scenario

__all__ = ["SCENARIOS", "TOPICS", "Scenario"]
