"""Acts: what people and the world do to a system besides moving inputs, one method a word of `do`."""

from typing import Any

from sabot_gateway.operator.messages import Request
from sabot_gateway.shoe.session import frame_bytes

from sabot_tools.replay.system import ReplayError, ReplaySystem
from sabot_tools.replay.table_setup import TABLE

Json = dict[str, Any]


class ActHandlers:
    """`said` are the answers that people got."""

    def __init__(self, system: ReplaySystem) -> None:
        self.system = system
        self.answers: list[Json] = []

    def perform(self, act: Json) -> None:
        """One act; all before it is settled, and so is what comes of it where that can be waited for."""
        word = str(act.get("do"))
        done = getattr(self, f"do_{word}", None)
        if done is None:
            raise ReplayError(f"an act that this program does not know: {act}; update the program, or the recording")
        try:
            done(**{name: value for name, value in act.items() if name != "do"})
        except TypeError as error:
            raise ReplayError(f"the act {act} is not as {word!r} wants it: {error}") from error
        self.system.wait_until_idle()

    def do_power(self, state: str, greeted: bool = True) -> None:
        """The plug: `off` or `on`; a shoe that will not speak is not waited for if `greeted` is false."""
        if state == "off":
            self.system.power_off()
        else:
            self.system.power_on()
            self._greet(greeted)

    def do_reset(self) -> None:
        """The reset pin."""
        self.system.reset()
        self._greet(True)

    def _greet(self, wanted: bool) -> None:
        if wanted and self.system.app is not None and self.system.line.sound:
            self.system.run_until(self.system.shoe_ready, "the shoe is greeted")

    def do_say(self, verb: str, by: str = "", clause: str = "", args: Json | None = None, **more: Any) -> None:
        """A supervisor's word at the gateway's socket; whatever else is given are its arguments."""
        answer = self.system.request(Request(verb, TABLE, by, clause, {**(args or {}), **more}))
        self.answers.append({"verb": verb, "ok": answer.ok, "say": answer.say})

    def do_wait(self, says: str, topic: str = f"{TABLE}/status") -> None:
        """Until a retained topic of the gateway says this; real time passes on a unix bench, the clock stands still."""
        self.system.run_until(lambda: says in self.system.retained(topic), f"{topic} says {says!r}")

    def do_line(self, fault: str, seed: int = 0, share: float | None = None) -> None:
        """The serial line misbehaves from now on; `mend` ends it, and waits for the shoe."""
        self.system.line.fault(fault, seed, share)
        if fault == "mend":
            self.system.expect_greeting()
            self._greet(True)

    def do_inject(self, kind: str, data: Json, ahead: int = 1, time_ms: int = 0) -> None:
        """A forged event reaches the gateway, so many numbers ahead of the shoe's last."""
        body = {"event_no": self.system.line.monitor.logged_no + ahead, "kind": kind, "data": data}
        self.system.line.inject(frame_bytes("event", body, 0, time_ms / 1000))

    def do_gateway(self, state: str) -> None:
        """`kill` as kill -9 does it, `start` as a daemon starts."""
        if state == "kill":
            self.system.kill_gateway()
        else:
            self.system.start_gateway()
            self._greet(self.system.powered)

    def do_second_gateway(self, port: str = "other") -> None:
        """Another gateway comes to this shoe, by the `same` port or a tap on its line; what it says of it."""
        self.answers.append({"second_gateway": port, "say": self.system.second_gateway(port)})

    def do_broker(self, state: str) -> None:
        """`stop` or `start`."""
        if state == "stop":
            self.system.stop_broker()
        else:
            self.system.start_broker()

    def do_clock(self, jump_s: float) -> None:
        """The PC's clock is set."""
        self.system.jump_s += jump_s

    def do_disk(self, state: str) -> None:
        """`full`: the gateway can write to no file; `fine` again."""
        self.system.fill_disk(full=state == "full")

    def do_flash(self, damage: str, seed: int = 0, spots: int = 1) -> None:
        """Bits of `journal` or `store` fall, or the `image` is another; the power must be off."""
        if self.system.powered:
            raise ReplayError("flash is damaged while the power is off; switch it off first")
        self.system.rig.damage(damage, seed, spots)

    def do_shoe(self, number: int) -> None:
        """Another controller stands at the table, number 2 and so on; the power must be off."""
        if self.system.powered:
            raise ReplayError("a shoe is exchanged while its power is off; switch it off first")
        self.system.exchange_shoe(number)
