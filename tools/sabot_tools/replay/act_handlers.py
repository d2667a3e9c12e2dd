"""Performs the acts of a recording: what people and the world do besides moving inputs. One method for each `do`."""

from typing import Any, Final

import msgspec
from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol.topics import StatusMessage, table_topic
from sabot_service.messages import Request

from sabot_tools.replay.recording_file import Json
from sabot_tools.replay.system import ReplayError, ReplaySystem
from sabot_tools.replay.table_setup import TABLE

_SILENCE_S: Final = 0.1  # of the line's clock, in a step


class ActHandlers:
    """`answers` are the gateway's answers to people, in order."""

    def __init__(self, system: ReplaySystem) -> None:
        self.system = system
        self.answers: list[Json] = []

    def perform(self, act: Json) -> None:
        """Perform one act and wait until its effects are stored and published, as far as that can be waited for."""
        name = str(act.get("do"))
        handler = getattr(self, f"do_{name}", None)
        if handler is None:
            raise ReplayError(f"unknown act {act}: update Sabot, or correct the recording")
        try:
            handler(**{key: value for key, value in act.items() if key != "do"})
        except TypeError as error:
            raise ReplayError(f"wrong arguments of the act {act}: {error}; correct the recording") from error
        self.system.wait_until_idle()

    def do_power(self, state: str, greeted: bool = True) -> None:
        """Switch the shoe `off` or `on`; with `greeted` false, do not wait for a session."""
        if state == "off":
            self.system.shoe.power_off()
        else:
            self.system.power_on()
            if greeted:
                self._wait_for_shoe()

    def do_reset(self) -> None:
        """Pull the reset pin."""
        self.system.reset()
        self._wait_for_shoe()

    def _wait_for_shoe(self) -> None:
        if self.system.gateway.app is not None and self.system.line.sound:
            self.system.run_until(self.system.shoe_ready, "the shoe has a session")

    def do_say(self, verb: str, by: str = "", clause: str = "", args: Json | None = None, **more: Any) -> None:
        """Send a supervisor's command to the gateway's socket; other keys are arguments of the command."""
        answer = self.system.request(Request(verb, TABLE, by, clause, {**(args or {}), **more}))
        self.answers.append({"verb": verb, "ok": answer.ok, "say": answer.say})

    def do_wait(self, says: str, topic: str = f"{TABLE}/status") -> None:
        """Wait until a retained topic of the gateway contains a text; the recording's clock stands still meanwhile."""
        system = self.system

        def contained() -> bool:
            if not system.can_send():  # no need to wait in real time
                system.rig.pass_silence(_SILENCE_S)
            return says in system.gateway.retained(topic)

        system.run_until(contained, f"{topic} contains {says!r}")

    def do_line(self, fault: str, seed: int = 0, share: float | None = None) -> None:
        """Make the serial line misbehave from now on; `mend` repairs it and waits for the shoe."""
        self.system.line.fault(fault, seed, share)
        if fault == "mend":
            self.system.expect_session()
            self._wait_for_shoe()

    def do_inject(self, kind: str, data: Json, ahead: int = 1, time_ms: int = 0) -> None:
        """Send a forged event to the gateway, numbered `ahead` of the shoe's last."""
        body = {"event_no": self.system.line.monitor.logged_no + ahead, "kind": kind, "data": data}
        self.system.line.inject(frame_bytes("event", body, 0, time_ms / 1000))

    def do_gateway(self, state: str) -> None:
        """`kill` the gateway as kill -9 does, or `start` it."""
        if state == "kill":
            self.system.kill_gateway()
        else:
            self.system.start_gateway()
            if self.system.shoe.powered:
                self._wait_for_shoe()

    def do_second_gateway(self, port: str = "other") -> None:
        """Start a second gateway at the `same` port, or at another end of the line; keep the status it reports."""
        system, folder = self.system, self.system.work_dir / "second"
        folder.mkdir(exist_ok=True)
        at = system.line.port if port == "same" else system.line.second_port()
        keys_dir = system.work_dir / "keys"
        config = system.setup.config(f"{system.site}-2", at, system.broker.address, folder, keys_dir)
        second, topic = system.gateway.new_app(config), table_topic(config.site, TABLE, "status")

        def reported() -> bool:
            second.step(0)
            return topic in second.retained_topics()

        try:
            system.run_until(reported, "the second gateway reports a status of the shoe")
            status = msgspec.json.decode(second.retained_topics()[topic], type=StatusMessage)
            say = msgspec.json.encode(msgspec.structs.replace(status, setup=None)).decode()
            self.answers.append({"second_gateway": port, "say": say})
        finally:
            second.close()
            system.line.close_second()

    def do_broker(self, state: str) -> None:
        """`stop` or `start` the broker."""
        system = self.system
        if state == "stop":
            system.broker.stop()
            system.run_until(lambda: not system.subscriber.ready, "the subscriber loses the broker")
            return
        system.broker.start()
        system.gateway.paused = True  # the subscriber must be back before the gateway publishes
        system.run_until(lambda: system.subscriber.ready, "the broker accepts the subscriber again")
        system.gateway.paused = False

    def do_clock(self, jump_s: float) -> None:
        """Set the PC's clock forward or back."""
        self.system.clock_offset_s += jump_s

    def do_disk(self, state: str) -> None:
        """`full`: the gateway can write to no file; `fine`: it can again."""
        self.system.gateway.set_disk_full(full=state == "full")

    def do_flash(self, damage: str, seed: int = 0, spots: int = 1) -> None:
        """Damage bits of `journal` or `store`, or change the `image`; the power must be off."""
        if self.system.shoe.powered:
            raise ReplayError("flash can be damaged only while the power is off: switch it off first")
        self.system.rig.damage(damage, seed, spots)

    def do_shoe(self, number: int) -> None:
        """Put another controller at the table, number 2 and so on; the power must be off."""
        if self.system.shoe.powered:
            raise ReplayError("a shoe can be exchanged only while its power is off: switch it off first")
        self.system.shoe.exchange(number)
