// An act about a jackpot: who may do it by the book, what it needs, and the button that does it.
import {html, useEffect, useLayoutEffect, useRef, useState} from "./vendor/preact.js";
import {act, newId, useBackTo} from "./session.js";
import {t} from "./words.js";

const AMOUNT = /^(-?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,10})(?:\.([0-9]{1,3}))?$/;
// What each act asks for, and the words of its head.
const ACTS = {
  confirm: {fields: ["notified"], head: (about) => t("console.confirm_of", {place: about.place}), args: (about) => ({win: about.win})},
  invalid: {fields: ["reason"], head: (about) => t("console.invalid_of", {place: about.place}), args: (about) => ({win: about.win})},
  order: {fields: ["before", "reason"], head: (about) => t("console.order_of", {place: about.place}), args: (about) => ({win: about.win})},
  settle: {fields: ["reason"], head: (about) => t("console.settle_of", {place: about.place}), args: (about) => ({win: about.win})},
  withdraw: {fields: ["reason"], head: (about) => t("console.withdraw_of", about), args: (about) => ({table: about.table})},
  restore: {fields: ["reason"], head: (about) => t("console.restore_of", about), args: (about) => ({table: about.table})},
  "make-good": {fields: ["reason"], head: (about) => t("console.make_good_of", about), args: (about) => ({missed: about.missed})},
  adjust: {fields: ["amount", "reason"], head: (about, jackpot) => t("console.adjust_of", jackpot), args: () => ({id: newId()})},
  draw: {fields: [], head: (about, jackpot) => t("console.draw_of", jackpot), args: () => ({id: newId()})},
};
const MAY_BE_EMPTY = ["restore", "make-good"];

// An amount as people write it, in minor units; null if it is none.
export function minorUnits(text, digits) {
  const found = AMOUNT.exec(text.trim());
  const rest = found?.[3] ?? "";
  if (!found || rest.replace(/0+$/, "").length > digits) return null;
  const minor = Number(found[2].replaceAll(",", "") + rest.padEnd(3, "0").slice(0, digits));
  return found[1] && minor ? -minor : minor;
}

function Who({may}) {
  if (!may) return null;
  return html`<p class="who-may">
    ${may.lowest ? html`<span>${t("console.lowest", {role: may.lowest})}</span>` : null}
    ${may.second ? html` <span>${t("console.second", {role: may.second})}</span>` : null}
    ${may.notify.length ? html` <span>${t("console.notify", {who: may.notify.join(", ")})}</span>` : null}
    ${may.clause ? html` <span>${t("console.clause", {clause: may.clause})}</span>` : null}
  </p>`;
}

// Whom the records have of the roles that a confirmation may name as notified; null until the floor has answered.
function useNotified(wanted, jackpot, setSay) {
  const [people, setPeople] = useState(null);
  useEffect(() => {
    if (!wanted) return;
    act({do: "jackpot", verb: "show", args: {jackpot}}).then((answer) => {
      setPeople(answer.ok ? answer.data.notified : []);
      if (!answer.ok) setSay(answer.say);
    });
  }, [wanted, jackpot]);
  return people;
}

// A field with a few answers, each [value, words].
function Choice({own, label, options, empty, value, set}) {
  return html`<label>${label}
    <select ref=${own} required value=${value ?? ""} onChange=${(event) => set(event.target.value)}>
      <option value="" disabled>${empty}</option>
      ${options.map(([given, words]) => html`<option key=${given} value=${given}>${words}</option>`)}
    </select></label>`;
}

const LAST = "-"; // after all the others

// The answers of a field that has only some.
function choices(name, about, people) {
  if (name === "before") return [...about.undecided.map((other) => [other.win, t("console.before_win", {place: other.place})]), [LAST, t("console.last")]];
  if (name === "notified") return (people ?? []).map((one) => [one.id, `${one.name} (${one.role})`]);
  return null;
}

// A form for one act; `done` gets the answer, or null if it was cancelled.
export function ActForm({jackpot, verb, about, done}) {
  const kind = ACTS[verb];
  const may = jackpot.may[verb];
  const [values, setValues] = useState({});
  const [say, setSay] = useState("");
  const [busy, setBusy] = useState(false);
  const given = useRef(kind.args(about)); // the same id however often it is sent
  const first = useRef(null);
  useBackTo();
  useLayoutEffect(() => first.current?.focus(), []);
  const fields = kind.fields.filter((name) => name !== "notified" || may?.notify.length);
  const people = useNotified(fields.includes("notified"), jackpot.id, setSay);
  const needed = (name) => !(name === "reason" && MAY_BE_EMPTY.includes(verb));
  const submit = async (event) => {
    event.preventDefault();
    if (busy) return;
    const args = {jackpot: jackpot.id, ...given.current, ...values};
    if (args.before === LAST) delete args.before;
    if (verb === "adjust") args.amount = minorUnits(values.amount ?? "", jackpot.digits);
    if (verb === "adjust" && !args.amount) {
      setSay(t("console.wrong_amount"));
      return;
    }
    setBusy(true);
    const second = verb === "adjust" ? t("console.approve", {title: jackpot.title, amount: values.amount}) : "";
    const answer = await act({do: "jackpot", verb, args}, second);
    setBusy(false);
    if (answer.ok) done(answer);
    else setSay(answer.say);
  };
  const escape = (event) => {
    if (event.key === "Escape") done(null);
  };
  return html`<form class="act" aria-label=${kind.head(about, jackpot)} onSubmit=${submit} onKeyDown=${escape}>
    <h3>${kind.head(about, jackpot)}</h3>
    ${about.prize ? html`<p><b>${about.prize}</b> ${t("console.part_of", about)}</p>` : null}
    <${Who} may=${may} />
    ${fields.map((name, number) => (choices(name, about, people) ? html`<${Choice} key=${name} own=${number ? null : first} label=${t(`console.${name}`)} options=${choices(name, about, people)}
        empty=${t(name === "notified" && people?.length === 0 ? "console.nobody" : "console.choose")} value=${values[name]} set=${(value) => setValues({...values, [name]: value})} />` : html`<label key=${name}>${t(`console.${name}`, {currency: jackpot.currency})}
      <input ref=${number ? null : first} required=${needed(name)} maxlength="160" autocomplete="off" value=${values[name] ?? ""}
        onInput=${(event) => setValues({...values, [name]: event.target.value})} /></label>`))}
    <p class="say" role="alert">${say}</p>
    <div class="acts">
      <button type="button" class="plain" onClick=${() => done(null)}>${t("console.cancel")}</button>
      <button type="submit" ref=${fields.length ? null : first} disabled=${busy}>${t("console.send")}</button>
    </div>
  </form>`;
}
