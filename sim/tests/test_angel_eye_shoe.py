"""The emulated Angel Eye by hand: frames as the public facts give them, states, commands and their answers."""

import random

import pytest
from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.decoder import Decoder
from sabot_protocol.angel_eye.messages import report
from sabot_protocol.angel_eye.repeats import RepeatFilter
from sabot_protocol.cards import DECK
from sabot_sim.angel_eye.drawing import next_place
from sabot_sim.angel_eye.settings import LineFaults, Settings
from sabot_sim.angel_eye.shoe import CARD_CODE, AngelEyeShoe
from sabot_sim.scenarios import draw_tables
from sabot_sim.stack import CUT

NATURAL = ("8S", "6C", "AH", "2D")  # Player 9, Banker 8


class Bench:
    """A shoe and its host; what it sends is read as `t target index card` and the like, repeats left out."""

    def __init__(self, settings: Settings | None = None, *, start: bool = True) -> None:
        self.shoe = AngelEyeShoe(settings or Settings(burn="none"), random.Random(1))
        self.now_s = 0.0
        self._decoder, self._repeats = Decoder(), RepeatFilter()
        self.shoe.power_on(self.now_s, new_cards=True)
        if start:
            assert self.sent(5.0) == ["S", "P"]

    def sent(self, after_s: float = 0.3) -> list[str]:
        """Let this time pass; return what came."""
        found = []
        end_s = self.now_s + after_s
        while self.now_s < end_s:
            due_s = self.shoe.next_s()
            self.now_s = end_s if due_s is None else min(end_s, max(self.now_s, due_s))
            for message in self._decoder.feed(self.shoe.output(self.now_s), self.now_s):
                if not self._repeats.is_repeat(message, self.now_s):
                    found.append(report(message))
        return [_words(message) for message in found]

    def pull(self, *cards: str) -> list[str]:
        """Pull these cards; return what came."""
        found = []
        for card in cards:
            self.shoe.pull(card, self.now_s)
            found += self.sent()
        return found

    def result(self) -> list[str]:
        """Press the result button; return what came before stand-by."""
        self.shoe.press_result(self.now_s)
        return self.sent()

    def command(self, kind: str, data: str, *, with_stx: bool = True) -> list[str]:
        """Send a command; return what came."""
        self.shoe.receive(build.command(kind, data, with_stx=with_stx), self.now_s)
        return self.sent()


def _words(message: dict[str, object]) -> str:
    values = [value for key, value in message.items() if key not in ("seq", "name", "error")]
    return " ".join(str(value) for value in values if value is not False)


def test_a_coup_is_the_published_frames() -> None:
    shoe = AngelEyeShoe(Settings(burn="none", flat_out=True, boot_s=0.0), random.Random(1))
    shoe.power_on(0.0, new_cards=True)
    # 05 Seq type .. 03 BCC; S and P carry the same sequence, every frame comes three times
    assert shoe.output(0.0) == bytes.fromhex("053153033631") * 3 + bytes.fromhex("053150033632") * 3
    for card in NATURAL:
        shoe.pull(card, 1.0)
    shoe.press_result(1.0)
    frames = ("05324481B8033443", "05334491A6033433", "05344482C1033330", "05354492 92033732", "05364790034532")
    expected = [bytes.fromhex(frame) for frame in frames]
    assert shoe.output(1.0)[: 8 * 12 + 7 * 3] == b"".join(frame * 3 for frame in expected)


def test_the_burn_by_the_first_card() -> None:
    bench = Bench(Settings(burn="first_card"))
    assert bench.pull("3D") == ["D burn_first 3D 0", "D burn_count None 3"]
    assert bench.pull("2H", "KC", "AS") == ["D burn 2H 1", "D burn KC 2", "D burn AS 3"]
    assert bench.pull("5H") == ["D player 5H 1"]
    silent = Bench(Settings(burn="first_card", burn_cards_sent=False))
    assert silent.pull("QD") == ["D burn_first QD 0", "D burn_count None 10"]
    assert silent.pull(*["2C"] * 10) == []
    assert silent.pull("5H") == ["D player 5H 1"]
    one = Bench(Settings(burn="one"))
    assert one.pull("9C", "5H") == ["D burn 9C 1", "D player 5H 1"]


def test_every_hand_draws_as_the_printed_tables_say() -> None:
    rng = random.Random(4)
    for _ in range(300):
        cards = rng.choices(DECK, k=6)
        player, banker = draw_tables.hands(cards)
        hands: dict[str, list[str]] = {"player": [], "banker": []}
        rest = list(cards)
        while place := next_place(hands["player"], hands["banker"]):
            hands[place.target].append(rest.pop(0))
            assert len(hands[place.target]) == place.number
        assert (hands["player"], hands["banker"]) == (player, banker)


def test_result_pairs_and_stand_by() -> None:
    bench = Bench()
    assert bench.pull(*NATURAL) == ["D player 8S 1", "D banker 6C 1", "D player AH 2", "D banker 2D 2"]
    assert bench.result() == ["G player"]
    assert bench.sent(2.0) == ["P"]
    bench.pull("4H", "4C", "4D", "4S")
    assert bench.result() == ["G tie True True"]


def test_an_unreadable_card_stops_the_shoe_until_it_is_cleared() -> None:
    bench = Bench()
    bench.pull("5H")
    bench.shoe.pull_unreadable(bench.now_s)
    assert bench.sent() == ["E 1 True", "d None error 1"]
    assert bench.pull("6C") == ["d 6C error 1"]
    assert bench.command("EC", "01") == ["NAK 255"]  # only an overdraw is kept
    assert bench.command("EC", "00") == ["ACK", "e 1"]
    assert bench.command("EC", "00") == ["NAK 255"]  # nothing to clear
    assert bench.pull("7C") == ["D banker 7C 1"]


def test_an_overdrawn_card_is_kept_for_the_next_coup() -> None:
    bench = Bench()
    bench.pull(*NATURAL)
    assert bench.pull("JC") == ["E 2 True", "d JC error 2"]
    assert bench.result() == []  # nothing goes on in error mode
    assert bench.command("EC", "00") == ["NAK 255"]
    assert bench.command("EC", "01") == ["ACK", "e 2", "R player JC 1"]
    assert bench.result() == ["G player"]
    assert bench.sent(2.0) == ["P"]
    assert bench.pull("8D", "KD") == ["D banker 8D 1", "D player KD 2"]
    assert [coup.flags for coup in bench.shoe.truth.coups] == [{"error_inside"}]
    assert bench.shoe.coup is not None
    assert (bench.shoe.coup.player, bench.shoe.coup.flags) == (["JC", "KD"], {"carried_first_card"})


def test_an_overdraw_after_the_result_delays_stand_by_and_can_be_discarded() -> None:
    bench = Bench()
    bench.pull(*NATURAL)
    bench.result()
    assert bench.pull("4D") == ["E 2 True", "d 4D error 2"]
    assert bench.sent(5.0) == []
    assert bench.command("EC", "02") == ["ACK", "e 2"]
    assert bench.sent(2.0) == ["P"]
    assert bench.pull("7D") == ["D player 7D 1"]


def test_a_second_card_cannot_be_kept() -> None:
    bench = Bench()
    bench.pull(*NATURAL, "JC")
    bench.command("EC", "01")
    bench.pull("QC")
    assert bench.command("EC", "01") == ["NAK 255"]
    assert bench.command("EC", "02") == ["ACK", "e 2"]
    assert bench.shoe.kept == "JC"


def test_the_key_is_reported_and_the_host_is_not() -> None:
    bench = Bench()
    bench.shoe.turn_key(True, bench.now_s)
    assert bench.sent() == ["L True"]
    assert bench.pull("3H", "4H") == ["d 3H lock 1", "d 4H lock 2"]
    assert bench.pull(*["5H"] * 9)[7:] == ["d 5H lock 10", "d 5H lock 10"]  # counted to ten
    bench.shoe.turn_key(False, bench.now_s)
    assert bench.sent() == ["L"]
    assert bench.command("LK", "02") == ["ACK"]
    assert bench.pull("5H") == ["d 5H lock 1"]
    assert bench.command("LK", "01") == ["ACK"]
    assert bench.pull("6H") == ["D player 6H 1"]


def test_cutting_card_forced_end_preset_and_an_error_without_error_mode() -> None:
    bench = Bench()
    assert bench.pull(CUT) == ["C"]
    bench.pull("8S")
    assert bench.pull(CUT) == ["C"]
    bench.shoe.fail(3, bench.now_s, error_mode=False)
    assert bench.sent() == ["E 3"]
    bench.shoe.force_end(bench.now_s)
    assert bench.sent(2.0) == ["G forced_end", "P"]
    bench.shoe.change_preset("07", "0012", bench.now_s)
    assert bench.sent() == ["M 07 0012"]
    bench.shoe.turn_to_setting(True)
    assert bench.pull("3S") == ["d 3S setting 1"]
    bench.shoe.turn_to_setting(False)
    assert bench.pull("4S") == ["D player 4S 1"]
    coup = bench.shoe.truth.coups[0]
    assert (coup.result, coup.flags) == ("forced_end", {"cutting_card_inside", "error_inside"})


@pytest.mark.parametrize("keeps", [True, False])
def test_a_restart_in_mid_coup(keeps: bool) -> None:
    bench = Bench(Settings(burn="none", keeps_hand=keeps))
    bench.pull("8S", "6C")
    bench.command("LK", "02")
    bench.shoe.power_off()
    assert bench.sent(3.0) == []
    assert bench.pull("KD") == []
    bench.shoe.power_on(bench.now_s)
    assert bench.sent(3.0) == (["S"] if keeps else ["S", "P"])
    assert bench.pull("AH") == ["D player AH 2" if keeps else "D player AH 1"]
    assert [coup.player for coup in bench.shoe.truth.abandoned] == ([] if keeps else [["8S"]])


def test_power_that_goes_in_mid_frame_cuts_it_off() -> None:
    bench = Bench()
    bench.shoe.pull("8S", bench.now_s)
    assert len(bench.shoe.output(bench.now_s + 0.007)) == 3  # 2.083 ms a character
    bench.shoe.power_off()
    assert bench.shoe.output(bench.now_s + 1) == b""
    assert bench.shoe.truth.sent[-1].good == 0


@pytest.mark.parametrize("with_stx", [True, False])
def test_the_bcc_of_a_command_is_counted_one_way(with_stx: bool) -> None:
    bench = Bench(Settings(burn="none", bcc_with_stx=with_stx))
    assert bench.command("LK", "02", with_stx=not with_stx) == ["NAK 2"]
    assert not bench.shoe.host_locked
    assert bench.command("LK", "02", with_stx=with_stx) == ["ACK"]
    assert bench.shoe.host_locked


@pytest.mark.parametrize(
    ("text", "answer"),
    [("OPLK1", "NAK 17"), ("XXLK01", "NAK 18"), ("OPZZ01", "NAK 19"), ("OPLK09", "NAK 20"), ("OPGP00", "ACK")],
)
def test_a_command_that_is_not_known_is_refused_by_its_code(text: str, answer: str) -> None:
    bench = Bench()
    bench.shoe.receive(build.stx_frame(text, with_stx=True), bench.now_s)
    assert bench.sent() == [answer]


def test_commands_come_in_pieces_and_noise_is_skipped() -> None:
    bench = Bench()
    for byte in b"\x00\xff" + build.command("LK", "02", with_stx=True) + b"zz":
        bench.shoe.receive(bytes([byte]), bench.now_s)
    assert bench.sent() == ["ACK"]


def test_a_shoe_that_is_off_answers_nothing() -> None:
    bench = Bench()
    bench.shoe.power_off()
    assert bench.command("LK", "02") == []


def test_commands_are_refused_as_the_faults_say() -> None:
    bench = Bench(Settings(burn="none", faults=LineFaults(refused=1.0)))
    answers = {bench.command("LK", "02")[0] for _ in range(30)}
    assert answers == {"NAK 1", "NAK 2", "NAK 33"}
    assert not bench.shoe.host_locked


def test_an_answer_comes_between_two_frames() -> None:
    bench = Bench()
    bench.shoe.pull("8S", bench.now_s)
    bench.shoe.receive(build.command("LK", "02", with_stx=True), bench.now_s)
    assert bench.sent() == ["D player 8S 1", "ACK"]
    assert bench.shoe.truth.sent[-1].good == 3


def test_gp_sends_the_hand_again_if_the_shoe_does_that() -> None:
    bench = Bench(Settings(burn="none", answers_gp=True))
    bench.pull("8S", "6C", "AH")
    bench.shoe.receive(build.command("GP", "00", with_stx=True), bench.now_s)
    assert bench.sent(1.0) == ["ACK", "R player 8S 1", "R player AH 2", "R banker 6C 1"]


def test_a_host_that_floods_gets_a_bounded_number_of_answers() -> None:
    bench = Bench()
    bench.shoe.receive(build.command("LK", "01", with_stx=True) * 5000, bench.now_s)
    assert bench.sent(60.0) == ["ACK"] * 1000


def test_a_converter_that_is_set_to_7_data_bits_strips_the_highest_bit() -> None:
    """Two stripped bytes cancel in the XOR, one does not: the card has a good BCC, the result has not."""
    shoe = AngelEyeShoe(Settings(burn="none", flat_out=True, boot_s=0.0, data_bits=7), random.Random(1))
    shoe.power_on(0.0, new_cards=True)
    shoe.output(0.0)
    for card in NATURAL:
        shoe.pull(card, 1.0)
    out = shoe.output(1.0)
    assert out[:8] == bytes.fromhex("0532440138033443")
    shoe.press_result(1.0)
    decoder = Decoder()
    assert decoder.feed(out, 1.0) == []
    assert decoder.rejected == {"bit7": 9, "bcc": 3}  # Player 2 is 82: stripped, it is STX
    decoder.feed(shoe.output(1.0), 1.0)
    assert decoder.rejected == {"bit7": 9, "bcc": 6}


@pytest.mark.parametrize(("interleaved", "order"), [(False, "EEEddd"), (True, "EdEdEd")])
def test_copies_of_two_messages_come_one_after_the_other_or_mixed(interleaved: bool, order: str) -> None:
    bench = Bench(Settings(burn="none", interleaved=interleaved))
    bench.pull(*NATURAL)
    bench.shoe.pull("JC", bench.now_s)
    out = bench.shoe.output(bench.now_s + 1.0)
    assert "".join(chr(frame[1]) for frame in out.split(b"\x05")[1:]) == order


def test_the_line_carries_one_character_at_a_time() -> None:
    bench = Bench(Settings(burn="none", interleaved=True, gap_s=(0.0, 0.0)))
    bench.pull(*NATURAL)
    bench.shoe.pull("JC", bench.now_s)
    all_s = 3 * (7 + 8) * 10 / 4800  # three copies of E with 7 characters and of d with 8
    assert len(bench.shoe.output(bench.now_s + all_s - 0.001)) == 3 * (7 + 8) - 1
    assert len(bench.shoe.output(bench.now_s + all_s)) == 1


def test_errors_that_stand_and_a_misread_card() -> None:
    bench = Bench()
    bench.shoe.fail(CARD_CODE, bench.now_s)
    bench.shoe.fail(CARD_CODE, bench.now_s)
    assert bench.sent() == ["E 6 True"]
    assert bench.shoe.clear(bench.now_s)
    assert bench.sent() == ["e 6"]
    bench.shoe.pull("8S", bench.now_s, read_as="9S")
    assert bench.sent() == ["D player 9S 1"]
