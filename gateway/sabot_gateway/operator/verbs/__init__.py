"""Verbs: everything a person can ask of the gateway; one struct a verb, one file a family."""

from sabot_gateway.operator.verbs.card import BurnCard, CardReturned, KeyCard
from sabot_gateway.operator.verbs.coup import Authorise, Confirm, Decide, NoBet, ThisNoBet, Void
from sabot_gateway.operator.verbs.firmware import PushFirmware
from sabot_gateway.operator.verbs.gateway import AcceptLedger, Capture, Status
from sabot_gateway.operator.verbs.hand_over import ExportCoup, ImportCoup
from sabot_gateway.operator.verbs.incident import AckAlarm, ClearFault, Irregularity
from sabot_gateway.operator.verbs.invalidate import EndShoe, Invalidate
from sabot_gateway.operator.verbs.jackpot import RecordWin, Stakes
from sabot_gateway.operator.verbs.settle import Dispute, Payment, RecordAct, StepDone, Withdraw
from sabot_gateway.operator.verbs.shoe import ClearError, CloseShoe, DeckCheck, Lock, OpenShoe, Reboot, SelfTest, Unlock
from sabot_gateway.operator.verbs.verb import TableVerb, Verb
from sabot_gateway.operator.verbs.wagers import CardExposed, NoMoreBets, ReopenWagers

GATEWAY_VERBS: dict[str, type[Verb]] = {"status": Status, "accept-ledger": AcceptLedger, "capture": Capture}
TABLE_VERBS: dict[str, type[TableVerb]] = {
    "decide": Decide,
    "confirm": Confirm,
    "void": Void,
    "no-more-bets": NoMoreBets,
    "reopen-wagers": ReopenWagers,
    "card-exposed": CardExposed,
    "no-bet": NoBet,
    "this-no-bet": ThisNoBet,
    "authorise": Authorise,
    "key-card": KeyCard,
    "burn-card": BurnCard,
    "card-returned": CardReturned,
    "open-shoe": OpenShoe,
    "close-shoe": CloseShoe,
    "deck-check": DeckCheck,
    "lock": Lock,
    "unlock": Unlock,
    "clear-error": ClearError,
    "self-test": SelfTest,
    "reboot": Reboot,
    "push-firmware": PushFirmware,
    "ack-alarm": AckAlarm,
    "clear-fault": ClearFault,
    "irregularity": Irregularity,
    "export-coup": ExportCoup,
    "import-coup": ImportCoup,
    "stakes": Stakes,
    "record-win": RecordWin,
    "invalidate": Invalidate,
    "end-shoe": EndShoe,
    "step": StepDone,
    "dispute": Dispute,
    "payment": Payment,
    "record": RecordAct,
    "withdraw": Withdraw,
}
VERBS: dict[str, type[Verb]] = {**GATEWAY_VERBS, **TABLE_VERBS}
