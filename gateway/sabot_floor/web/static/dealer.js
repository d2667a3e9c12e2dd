// The Dealer Terminal: what is due now, cards and points as read, result and Confirm, offers, alarms, the assistant.
import {html, render, useEffect, useState} from "./vendor/preact.js";
import {NotLive, useLive} from "./live.js";
import {t, title} from "./words.js";
import {Badge, Gate, backTo, turned, useSession} from "./session.js";
import {Assistant} from "./dealer_assistant.js";
import {CommandForm, Dialog, perform, stepText} from "./dealer_command.js";
import {Alarms, Extra, Hand, Offers, Reasons} from "./dealer_parts.js";
import {Picture} from "./dealer_picture.js";

const table = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const SAID_MS = 10000; // what was done goes by itself; a refusal stays until it is closed
const SIDES = ["player", "banker"];
const AT_SHOE = ["confirm", "open_shoe"]; // the shoe has a button for them, too

function lineText(state) {
  const {key, values} = state.line;
  if (key === "card") return t("dealer.line_card", {number: values.number, slot: t(`dealer.slot_${values.slot}`)});
  if (key === "confirm" || key === "confirmed") {
    const {winner, player, banker} = values;
    return t(`dealer.line_${key}_${winner}`, {player, banker});
  }
  if (key === "locked_fault") return t(`dealer.fault_${values.fault}`);
  if (key === "burning") return t(`dealer.line_burn_${values.burn}`);
  return t(`dealer.line_${key}`);
}

function Notices({state}) {
  const found = [];
  if (state.kind !== "live") found.push(["stop", t(`dealer.kind_${state.kind}`)]);
  else if (state.next_kind !== "live") found.push(["warn", t("dealer.next_kind", {kind: t(`dealer.kind_${state.next_kind}`)})]);
  if (state.last_coup) found.push(["warn", t("dealer.last_coup")]);
  if (state.phase === "bets" && state.called) found.push(["warn", t("dealer.called")]);
  return found.map(([level, text]) => html`<strong key=${text} class=${`notice ${level}`}>${text}</strong>`);
}

// Buttons of what the state allows; `who` has for each role the title of the role that must approve.
function Actions({state, role, press}) {
  const allowed = state.actions.filter((one) => role in one.who);
  return html`
    <div class="actions">
      ${allowed.map((one) => {
        const second = one.who[role];
        return html`
          <button key=${one.name + (one.args.jackpot ?? "")} class=${one.main ? "main" : "plain"} onClick=${() => press({...one, role: second})}>
            ${stepText(one)}${second ? html`<small>${t(AT_SHOE.includes(one.name) ? "dealer.with_or_shoe" : "dealer.with", {role: second})}</small>` : null}
          </button>`;
      })}
    </div>`;
}

function Terminal({state, session}) {
  const [step, choose] = useState(null);
  const [assistant, setAssistant] = useState(false);
  const [said, say] = useState(null);
  useEffect(() => {
    const timer = said?.ok ? setTimeout(() => say(null), SAID_MS) : 0;
    return () => clearTimeout(timer);
  }, [said]);
  const role = session.roles[state.book] ?? "";
  // The first card that is turned closes the wagers: the gateway must know it.
  const turn = async (side) => {
    const exposed = state.actions.find((one) => one.name === "card_exposed" && role in one.who);
    const answer = await turned({table, coup: state.coup, side, cards: state[side].cards.length});
    if (answer.say) say(answer);
    if (answer.ok && exposed) perform(table, exposed);
  };
  const run = async (one, filled) => {
    const before = document.activeElement;
    choose(null);
    setAssistant(false);
    const answer = await perform(table, one, filled);
    if (answer.say) say(answer);
    backTo(before);
  };
  const press = (one) => {
    setAssistant(false);
    if (one.fields.length) choose(one);
    else run(one);
  };
  const acknowledge = (one) => press({name: "acknowledge", verb: "ack-alarm", args: {alarm: one.alarm}, clause: "", fields: [], first: "", role: state.acknowledge[role] ?? ""});
  return html`
    <header class="top"><h1>${table}</h1><span>${state.coup ? t("dealer.coup", {coup: state.coup}) : ""}</span><${Notices} state=${state} /><${Badge} /></header>
    <p class=${`line ${state.line.level}`} role="status">${lineText(state)}</p>
    ${said ? html`<p class=${`said ${said.ok ? "ok" : "failed"}`} role="alert"><span>${said.say}</span><button class="plain" onClick=${() => say(null)}>${t("dealer.close")}</button></p>` : null}
    <${Offers} offers=${state.offers} />
    <div class="body">
      <div class="left">
        <div class="table">${SIDES.map((side) => html`<${Hand} key=${side} side=${side} hand=${state[side]} due=${dueSlot(state)} turn=${() => turn(side)} winner=${winnerOf(state)} />`)}</div>
        <${Extra} cards=${state.extra} />
        <${Reasons} reasons=${state.reasons} />
        ${state.picture ? html`<section class="fault"><${Picture} name=${state.picture} /><p>${t(`dealer.picture_${state.picture}`)}</p></section>` : null}
      </div>
      <div class="right">
        ${role ? html`<${Actions} state=${state} role=${role} press=${press} />` : html`<p class="said failed">${t("dealer.no_role", {book: state.title || state.book})}</p>`}
        <button class="assistant" onClick=${() => setAssistant(true)}>${t("dealer.what_happened")}</button>
        <${Alarms} alarms=${state.alarms} more=${state.more} acknowledge=${state.link.broker && state.link.gateway ? acknowledge : null} />
      </div>
    </div>
    ${step ? html`<${Dialog} label=${stepText(step)} close=${() => choose(null)}><${CommandForm} step=${step} give=${(filled) => run(step, filled)} cancel=${() => choose(null)} /><//>` : null}
    ${assistant ? html`<${Assistant} table=${table} groups=${state.groups} close=${() => setAssistant(false)} press=${press} />` : null}`;
}

// The side to mark as the winner; nobody while the result is in dispute.
function winnerOf(state) {
  return state.result && state.result.status !== "disputed" ? (state.result.winner ?? "") : "";
}

function dueSlot(state) {
  return state.line.key === "card" ? state.line.values.slot : "";
}

function Page() {
  const session = useSession();
  const {state, live, why} = useLive(session ? `dealer/${table}` : "");
  if (!session) return null;
  return html`<${NotLive} live=${live} why=${why} />${state ? html`<${Terminal} state=${state} session=${session} />` : html`<p class="line wait">${t("dealer.wait")}</p>`}`;
}

title("dealer.title", {table});
render(html`<${Gate} kind="dealer"><${Page} /><//>`, document.getElementById("page"));
