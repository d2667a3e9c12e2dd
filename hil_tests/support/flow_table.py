"""A table for flows: firmware on the VM, gateway, broker and ledger; a dealer's hands, and people with their roles.

Commands are signed as the floor service signs them, so the rulebook decides who may give them.
"""

import itertools
import json
from pathlib import Path
from typing import Any, Final

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.command_keys import SigningKey
from sabot_protocol.commands import CommandAct, CommandMessage, CommandReply, digest
from sabot_protocol.topics import ROOT, command_topic
from sabot_service.messages import Answer, Request
from sabot_service.moment import utc
from sabot_sim.rigs.unix import UnixRig
from sabot_sim.scenarios.script import Script
from sabot_tools.replay.act_handlers import ActHandlers
from sabot_tools.replay.recording_file import bursts
from sabot_tools.replay.system import ReplaySystem
from sabot_tools.replay.table_setup import TABLE, TableSetup
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.demo_jackpots import jackpots as demo_jackpots

LOCK: Final = 1  # among the outputs of the shoe
_HANDS: Final = 1  # seed of the dealer's hands
DEALER, INSPECTOR = "dealer", "inspector"
_KEY = SigningKey(bytes(range(32)))
_numbers = itertools.count(1)
Json = dict[str, Any]


class FlowTable:
    """One table for many flows in sequence; `begin` starts each with a new shoe, `assert_settled` ends it.

    One class because a flow needs the hands, the people and every surface of the same table.
    """

    def __init__(self, work_dir: Path, server: LocalBroker, book: str, decks: int, **options: str) -> None:
        self.book, self.decks = book, decks
        self.stage = ReplaySystem(UnixRig(work_dir), TableSetup(book, decks, options=options), server, work_dir)
        key = work_dir / "floor.pub"
        key.write_text(f"{_KEY.public.raw.hex()}\n")
        gateway, jackpots = self.stage.gateway, work_dir / "jackpots.toml"
        if book in demo_jackpots():
            jackpots.write_text(demo_jackpots()[book].text([TABLE]))
        parameters = str(jackpots) if book in demo_jackpots() else None
        gateway.config = msgspec.structs.replace(gateway.config, floor_key=str(key), jackpots=parameters)
        self.script, self._played = Script(_HANDS), 0
        self.stage.start()
        self._acts = ActHandlers(self.stage)
        self._from, self._entry = 0, 0  # messages and entries before this flow

    def close(self) -> None:
        """Stop everything."""
        self.stage.close()

    # The dealer's hands

    def begin(self, burn: bool = True) -> None:
        """Open a shoe with new cards, and forget what came before; the hands move as in every flow, alone or not."""
        self.script.rng.seed(_HANDS)
        self._from, self._entry = len(self.stage.subscriber.received), len(self.stage.gateway.ledger())
        self.new_shoe(burn)

    def new_shoe(self, burn: bool = True) -> None:
        """Put in new cards, press New shoe, and burn one card."""
        self.script.press("new_shoe")
        if burn:
            self.script.pull("KS")
        self.play()

    def deal(self, cards: str) -> None:
        """Draw these cards."""
        self.script.pull(cards)
        self.play()

    def press(self, *buttons: str) -> None:
        """Press these buttons one after the other."""
        for button in buttons:
            self.script.press(button)
        self.play()

    def confirm(self) -> None:
        """Press Confirm, and the result before it where the rulebook wants that (Rapid 7.7.4.9)."""
        if rulebooks.load(self.book).switch["result_before_confirm"].value:
            winners = [one["winner"] for one in self.messages("coup") if one.get("winner")]
            self.press(*winners[-1:])
        self.press("confirm")

    def act(self, do: str, **fields: Any) -> None:
        """Let something happen to the system: power, gateway, shoe."""
        self.script.act(do, **fields)
        self.play()

    def play(self) -> None:
        """Play what was added to the script since the last time."""
        new, self._played = self.script.records[self._played :], len(self.script.records)
        for edges, until_us, act in bursts(new):
            self.stage.play(edges, until_us)
            if act is not None:
                self.stage.wait_until_idle()
                self._acts.perform(act.act)
        self.stage.wait_until_idle()
        self.script.wait(1)

    # People

    def ask(
        self, role: str, verb: str, clause: str = "", *, asks: str = "", bound: str = "", **args: Any
    ) -> CommandReply:
        """Give a command in this role, as the floor service signs it; `asks` is the role of the person who asks."""
        stage, number = self.stage, next(_numbers)
        now_s = stage.setup.started_s + stage.t_us / 1e6
        message = CommandMessage(
            id=f"flow-{number}",
            site=stage.site,
            table=TABLE,
            person=role,
            name=name_of(role),
            role=role,
            act=CommandAct(verb=verb, args=args),
            nonce=f"{number:032x}",
            issued=utc(now_s),
            expires=utc(now_s + 20),
            key=_KEY.public.id,
            clause=clause,
            coup=bound,
            asks=name_of(asks) if asks else "",
            asks_role=asks,
        )
        payload = _KEY.sign(message)
        stage.subscriber.publish(command_topic(stage.site, TABLE), payload)
        found = (f"{TABLE}/cmd/reply", message.id)
        stage.run_until(lambda: found in stage.subscriber.ids, f"the reply to {verb}")
        stage.wait_until_idle()
        (reply,) = [body for topic, body in stage.subscriber.received if (topic, body.get("id")) == found]
        assert reply["digest"] == digest(payload)
        return msgspec.convert(reply, CommandReply)

    def local(self, verb: str, by: str = "A. Smith", clause: str = "", **args: Any) -> Answer:
        """Give a command at the socket of the table PC."""
        answer = self.stage.request(Request(verb, TABLE, by, clause, args))
        self.stage.wait_until_idle()
        return answer

    # Surfaces

    def topic(self, name: str) -> Json:
        """Return a retained topic of the table, as the broker has it."""
        found: Json = json.loads(self.stage.subscriber.states[f"{ROOT}/{self.stage.site}/{TABLE}/{name}"])
        return found

    def status(self) -> Json:
        """Return the table's part of the gateway's status."""
        (table,) = self.stage.status()["tables"]
        found: Json = table
        return found

    def messages(self, topic: str) -> list[Json]:
        """Return the messages of this flow on a topic of the table."""
        received = self.stage.subscriber.received[self._from :]
        return [message for name, message in received if name == f"{TABLE}/{topic}"]

    def raised(self) -> list[str]:
        """Return the names of the alarms that this flow has raised, in order."""
        return [alarm["name"] for alarm in self.messages("alarm") if alarm["state"] == "raised"]

    def active(self) -> list[str]:
        """Return the names of the active alarms, the same on both surfaces."""
        names = [alarm["name"] for alarm in self.topic("alarms")["alarms"]]
        assert names == [alarm["name"] for alarm in self.status()["alarms"]]
        return names

    def open(self) -> dict[str, list[str]]:
        """Return the open steps of the open incidents by kind, the same on both surfaces."""
        listed = self.topic("open")["incidents"]
        assert listed == self.status()["incidents"]
        return {one["kind"]: [step["name"] for step in one["steps"] if not step.get("done")] for one in listed}

    def incidents(self) -> list[Json]:
        """Return the newest state of each incident of this flow."""
        return list({message["incident"]: message for message in self.messages("incident")}.values())

    def coups(self, topic: str = "coup") -> list[tuple[int, str, str | None]]:
        """Return number, status and winner of each message about a coup; the status of a void one is void."""
        return [
            (coup["coup"], "void" if coup["kind"] == "void" else coup["status"], coup.get("winner"))
            for coup in self.messages(topic)
        ]

    def locked(self) -> bool:
        """Return True if the exit is locked."""
        return bool((self.stage.rig.outputs or 0) & LOCK)

    def entries(self, topic: str) -> list[Json]:
        """Return the entries of this flow in the ledger."""
        entries = self.stage.gateway.ledger()[self._entry :]
        return [json.loads(entry.payload) for entry in entries if entry.topic == topic]


def name_of(role: str) -> str:
    """Return the name of the person who has this role in all flows."""
    return f"the {role.replace('_', ' ')}"
