// Commands of the Dealer Terminal: what a step still needs (a card, a name, a clause, a second person), then its answer.
import {html, useLayoutEffect, useRef, useState} from "./vendor/preact.js";
import {t} from "./words.js";
import {act, secondPerson, useBackTo} from "./session.js";

const RANKS = "A23456789TJQK";
const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};

// Give the command of a step, with a second person where one must approve; a step with `first` gives that one before.
// Returns {ok, say, data}; `say` is empty if the second person has cancelled.
export async function perform(table, step, filled = {}) {
  const {clause: typed, ...args} = filled;
  const body = {do: "table", table, clause: typed || step.clause};
  const send = async (own) => {
    if (step.first) {
      const answer = await act({...own, command: step.first, args: {}});
      if (!answer.ok) return answer;
    }
    return act({...own, command: step.verb, args: {...step.args, ...args}});
  };
  if (!step.role) return send(body);
  return secondPerson(t("dealer.approves", {role: step.role, step: stepText(step)}), (second) => send({...body, second}));
}

export function stepText(step) {
  return t(`dealer.step_${step.name}`, {jackpot: step.title ?? ""});
}

export function Dialog({label, close, children}) {
  const element = useRef(null);
  useBackTo();
  useLayoutEffect(() => {
    const shown = element.current;
    shown.showModal();
    return () => shown.close();
  }, []);
  const closed = (event) => {
    event.preventDefault();
    close();
  };
  return html`<dialog ref=${element} aria-label=${label} onCancel=${closed} onClose=${close}>${children}</dialog>`;
}

function CardField({value, set}) {
  const [rank, suit] = [(value[0] ?? "").trim(), value[1] ?? ""];
  return html`
    <fieldset class="ranks"><legend>${t("dealer.rank")}</legend>
      ${[...RANKS].map((one) => html`<label key=${one}><input type="radio" name="rank" required checked=${rank === one} onChange=${() => set(one + suit)} /><span>${one === "T" ? "10" : one}</span></label>`)}
    </fieldset>
    <fieldset class="suits"><legend>${t("dealer.suit")}</legend>
      ${Object.entries(SUITS).map(([one, glyph]) => html`<label key=${one} class=${"HD".includes(one) ? "red" : ""}><input type="radio" name="suit" required checked=${suit === one} onChange=${() => set((rank || " ") + one)} /><span>${glyph}</span></label>`)}
    </fieldset>`;
}

const WINNERS = ["player", "banker", "tie"];

function WinnerField({value, set}) {
  return html`
    <fieldset class="winners"><legend>${t("dealer.winner")}</legend>
      ${WINNERS.map((one) => html`<label key=${one} class=${one}><input type="radio" name="winner" required checked=${value === one} onChange=${() => set(one)} /><span>${t(`dealer.winner_${one}`)}</span></label>`)}
    </fieldset>`;
}

function field(name, filled, put) {
  const [value, set] = [filled[name] ?? "", put(name)];
  if (name === "card") return html`<${CardField} key=${name} value=${value} set=${set} />`;
  if (name === "winner") return html`<${WinnerField} key=${name} value=${value} set=${set} />`;
  return html`<${TextField} key=${name} name=${name} value=${value} set=${set} />`;
}

function TextField({name, value, set}) {
  return html`<label class="field"><span>${t(`dealer.field_${name}`)}</span><input name=${name} required maxlength="60" value=${value} onInput=${(event) => set(event.target.value)} /></label>`;
}

// What a person fills in before a step can be given; `give(filled)` goes on with it.
export function CommandForm({step, give, cancel}) {
  const [filled, setFilled] = useState({});
  const put = (name) => (value) => setFilled((before) => ({...before, [name]: value}));
  const submit = (event) => {
    event.preventDefault();
    give(filled);
  };
  return html`
    <form class="command" onSubmit=${submit}>
      <h2>${stepText(step)} ${step.clause ? html`<small>${t("dealer.rule", {clause: step.clause})}</small>` : null}</h2>
      ${step.fields.map((name) => field(name, filled, put))}
      <p class="row">
        <button>${stepText(step)}</button>
        <button type="button" class="plain" onClick=${cancel}>${t("dealer.cancel")}</button>
      </p>
    </form>`;
}
