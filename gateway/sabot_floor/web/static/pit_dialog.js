// The dialog of a command: what it does, the fields, the clause of the book, a second person, the answer.
import {html, useEffect, useLayoutEffect, useRef, useState} from "./vendor/preact.js";
import {Fields, argumentsOf, recorded} from "./pit_fields.js";
import {Clause, who} from "./pit_lists.js";
import {act, useBackTo} from "./session.js";
import {t, wordOr} from "./words.js";

const books = new Map(); // by id: a promise of what the server has of a book

// What a book has, once it has come; null before.
export function useBook(id) {
  const [book, set] = useState(null);
  useEffect(() => {
    if (!id) return undefined;
    let wanted = true;
    if (!books.has(id)) books.set(id, load(id));
    books.get(id).then((found) => wanted && set(found), () => books.delete(id));
    return () => {
      wanted = false;
    };
  }, [id]);
  return book;
}

async function load(id) {
  const answer = await fetch(`/data/book/${encodeURIComponent(id)}`);
  if (!answer.ok) throw new Error(`book ${id}: ${answer.status}`);
  return answer.json();
}

const CLAUSE = /^(\d+[A-Z]?(?:\.\d+[A-Z]?)*)((?:\([a-z]{1,5}\))*)(?: ?T\d{1,2})?$/;

// Whether a text names clauses of the book: one, several, or a range.
export function namesClauses(book, text) {
  const parts = text.split(/[,;]/).map((part) => part.trim()).filter(Boolean);
  return parts.length > 0 && parts.every((part) => part.split("-").every((one) => {
    const found = CLAUSE.exec(one.trim());
    return found !== null && book.clauses.includes(found[1]);
  }));
}

// What the book has for the move as it is filled in now; nothing if that is what the move itself has.
function filled(move, values, book) {
  const found = chosen(move, values, book);
  return found && {clause: "", role: "", second: "", ...found};
}

function chosen(move, values, book) {
  const cause = book?.causes[move.verb]?.[values.cause];
  if (cause) return {...cause, clause_needed: Boolean(cause.title)}; // the book has a rule for it
  if (move.verb === "void" && values.void_reason) return book?.voids[values.void_reason];
  if (move.verb === "record") return recorded(book, values.act)?.found;
  return undefined;
}

function ClauseField({move, book, clause, set, field}) {
  return html`<label class="field"><span>${t(move.clause_needed ? "pit.clause" : "pit.clause_optional")}</span>
    <input ref=${field} type="text" list="clauses" value=${clause} required=${move.clause_needed} maxlength="64" autocomplete="off"
      onInput=${(event) => set(event.target.value)} />
    <datalist id="clauses">${(book?.clauses ?? []).map((one) => html`<option key=${one} value=${one} />`)}</datalist>
  </label>`;
}

function Second({move, second, set}) {
  return html`<fieldset><legend>${t("pit.second", {role: move.second})}</legend>
    <label class="field"><span>${t("pit.second_person")}</span><input type="text" name="second" value=${second.person} maxlength="32" autocomplete="off"
      placeholder=${t("pit.badge")} onInput=${(event) => set({...second, person: event.target.value.trim()})} /></label>
    <label class="field"><span>${t("pit.second_secret")}</span><input type="password" name="second-secret" value=${second.secret} required maxlength="128" autocomplete="off"
      onInput=${(event) => set({...second, secret: event.target.value})} /></label>
  </fieldset>`;
}

// How long the book wants a change of a sign displayed before it begins.
function Notice({move}) {
  if (!move.notice_min && !move.notice_coups) return null;
  const key = move.notice_coups ? "pit.sign_notice_coups" : "pit.sign_notice_minutes";
  return html`<p>${t(key, {n: move.notice_coups || move.notice_min, clause: move.notice_clause})}</p>`;
}

// A modal dialog; `close(said)` is called with the answer, or without one if the person leaves it.
export function MoveDialog({table, move, rulebook, close}) {
  const dialog = useRef(null);
  const field = useRef(null);
  const book = useBook(rulebook);
  const [values, setValues] = useState({void_reason: move.args?.reason, times: "1"});
  const [typed, setTyped] = useState(null); // the clause, once a person has changed it
  const [second, setSecond] = useState({person: "", secret: ""});
  const [refused, setRefused] = useState("");
  const [busy, setBusy] = useState(false);
  const from_book = {...move, ...filled(move, values, book)};
  const clause = typed ?? from_book.clause ?? "";

  // Before the next key: it meets the dialog, the field and the verdict on the clause as they are drawn.
  useBackTo();
  useLayoutEffect(() => {
    dialog.current.showModal();
  }, []);
  useLayoutEffect(() => {
    if (book) dialog.current.querySelector("input, select")?.focus();
  }, [book]);
  useLayoutEffect(() => {
    const wrong = book !== null && clause !== "" && !namesClauses(book, clause);
    field.current?.setCustomValidity(wrong ? t("pit.no_clause", {book: rulebook}) : "");
  }, [clause, book]);

  const send = async (event) => {
    event.preventDefault();
    setBusy(true);
    setRefused("");
    const args = argumentsOf(move, values);
    const body = move.sign ? {do: "sign", table, change: move.verb, args} : {do: "table", table, command: move.verb, args, clause: clause.trim()};
    if (from_book.second) body.second = {person: second.person || "badge", secret: second.secret};
    const answer = await act(body);
    setBusy(false);
    setSecond({...second, secret: ""});
    if (answer.ok) close(answer);
    else setRefused(answer.say);
  };
  const setValue = (name, value) => setValues((before) => ({...before, [name]: value}));

  return html`<dialog ref=${dialog} class="move" onClose=${() => close()} aria-labelledby="move-title">
    <form onSubmit=${send}>
      <h2 id="move-title">${t(`pit.do_${move.do}`)} · ${table}</h2>
      ${move.args?.coup ? html`<p>${t("pit.coup", {coup: move.args.coup})}</p>` : null}
      <p class="soft">${wordOr(`pit.about_${move.do}_${move.args?.fault}`, t(`pit.about_${move.do}`))}</p>
      <p class="soft">${who(from_book)} ${move.sign ? html`<${Clause} clause=${clause} />` : null}</p>
      <${Notice} move=${move} />
      ${move.ask?.length && !book ? null : html`<${Fields} move=${move} values=${values} setValue=${setValue} book=${book} />`}
      ${move.sign ? null : html`<${ClauseField} move=${from_book} book=${book} clause=${clause} set=${setTyped} field=${field} />`}
      ${from_book.second ? html`<${Second} move=${from_book} second=${second} set=${setSecond} />` : null}
      ${refused ? html`<p class="refusal" role="alert">${refused}</p>` : null}
      <div class="moves"><button type="button" class="plain" onClick=${() => dialog.current.close()}>${t("pit.cancel")}</button>
        <button type="submit" disabled=${busy || !book}>${t(busy ? "pit.sending" : "pit.send")}</button></div>
    </form>
  </dialog>`;
}
