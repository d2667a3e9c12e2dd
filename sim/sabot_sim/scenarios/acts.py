"""The acts of one recording: what supervisors do at the gateway and what happens to the system around the shoe."""

from typing import Any, Final

from sabot_protocol.recording import Act

from sabot_sim.scenarios.inputs import LOOK_US, Inputs

SUPERVISOR: Final = "A. Smith"


class Acts(Inputs):
    """Inputs and acts on one clock. The acts are those of `sabot replay`."""

    def act(self, do: str, **fields: Any) -> None:
        """Add an act, such as a power cut or a line fault."""
        self.set_levels(0, LOOK_US)
        self.act_now(do, **fields)

    def act_now(self, do: str, **fields: Any) -> None:
        """Add an act while the inputs stay as they are."""
        self.records.append(Act(self.t_us, {"do": do, **fields}))
        self.t_us += LOOK_US

    def command(self, verb: str, clause: str = "", **args: Any) -> None:
        """Give a supervisor's command at the gateway."""
        self.think(1.0, 3.0)
        self.act("say", verb=verb, by=SUPERVISOR, clause=clause, args=args)

    def power_cycle(self) -> None:
        """Pull the plug, and put it back five seconds later."""
        self.act("power", state="off")
        self.back_on()

    def back_on(self) -> None:
        """Put the plug back after five seconds."""
        self.wait(5)
        self.act("power", state="on")
