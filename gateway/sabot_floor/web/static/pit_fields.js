// Fields of the pit's dialogs: what a person gives beside the command itself, and the arguments that they make.
import {html} from "./vendor/preact.js";
import {siteTime} from "./site_time.js";
import {t} from "./words.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};
const KINDS = ["live", "no_bet", "void_hand", "free_hand", "dummy"];
const NUMBERS = ["decks", "cards_out", "coups_left"];
const SLOTS = ["player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3"];

// A labelled field.
function Field({label, children}) {
  return html`<label class="field"><span>${label}</span>${children}</label>`;
}

function Choice({label, value, set, options, blank}) {
  return html`<${Field} label=${label}><select required=${!blank} value=${value ?? ""} onChange=${(event) => set(event.target.value)}>
    <option value="">${blank ? t("pit.not_given") : ""}</option>
    ${options.map(([name, text]) => html`<option key=${name} value=${name}>${text}</option>`)}
  </select><//>`;
}

function Text({label, value, set, required, most, pattern, hint, mode}) {
  return html`<${Field} label=${label}><input type="text" value=${value ?? ""} required=${required} maxlength=${most} pattern=${pattern} title=${hint ?? ""}
    inputmode=${mode} autocomplete="off" onInput=${(event) => set(event.target.value)} /><//>`;
}

// An amount of money as people write it.
function Money(field) {
  return html`<${Text} ...${field} most=24 mode="decimal" pattern="[0-9][0-9,]*([.][0-9]{1,3})?" hint="2,500" />`;
}

function Check({label, value, set}) {
  return html`<label class="check"><input type="checkbox" checked=${Boolean(value)} onChange=${(event) => set(event.target.checked)} /> <span>${label}</span></label>`;
}

function Card({value, set}) {
  const [rank, suit] = [(value ?? "")[0] ?? "", (value ?? "")[1] ?? ""];
  const part = (next_rank, next_suit) => set(next_rank + next_suit);
  return html`<div class="pair">
    <${Choice} label=${t("pit.rank")} value=${rank.trim()} set=${(one) => part(one || " ", suit)} options=${RANKS.map((one) => [one, one === "T" ? "10" : one])} />
    <${Choice} label=${t("pit.suit")} value=${suit} set=${(one) => part(rank || " ", one)} options=${Object.entries(SUITS)} />
  </div>`;
}

// Every slot with the card that lies there; a slot without a card stays empty.
function Cards({value, set}) {
  const cards = RANKS.flatMap((rank) => Object.entries(SUITS).map(([suit, glyph]) => [rank + suit, `${rank === "T" ? "10" : rank}${glyph}`]));
  return html`<fieldset><legend>${t("pit.cards_on_table")}</legend><div class="slots">
    ${SLOTS.map((slot) => html`<${Choice} key=${slot} blank label=${t(`pit.slot_${slot}`)} value=${value?.[slot]} options=${cards}
      set=${(card) => set({...value, [slot]: card})} />`)}
  </div></fieldset>`;
}

// Where the coup stood in the other shoe; left empty, it is as this gateway has it.
function Moved({values, setValue}) {
  const number = (name, most) => html`<${Text} label=${t(`pit.moved_${name}`)} value=${values[name]} set=${(text) => setValue(name, text)} mode="numeric" pattern="[0-9]{1,4}" most=${most} />`;
  return html`<fieldset><legend>${t("pit.moved")}</legend>
    <${Choice} blank label=${t("pit.moved_kind")} value=${values.kind} set=${(one) => setValue("kind", one)} options=${KINDS.map((one) => [one, t(`pit.kind_${one}`)])} />
    ${number("decks", 2)}${number("cards_out", 4)}
    <${Choice} blank label=${t("pit.moved_coups_left")} value=${values.coups_left} set=${(one) => setValue("coups_left", one)} options=${["0", "1", "2"].map((one) => [one, one])} />
  </fieldset>`;
}

// The acts and reports that a book lets people record, by section; then the facts that decide the chosen one.
function RecordedAct({value, set, book, values, setValue}) {
  const sections = [...new Set(book.acts.map((act) => act.section))];
  const chosen = recorded(book, value);
  return html`<${Field} label=${t("pit.act")}><select required value=${value ?? ""} onChange=${(event) => set(event.target.value)}>
      <option value=""></option>
      ${sections.map((section) => html`<optgroup key=${section} label=${section}>${book.acts.filter((act) => act.section === section).map((act) => html`<option key=${act.id} value=${`act:${act.id}`}>${act.title}</option>`)}</optgroup>`)}
      <optgroup label=${t("pit.reports")}>${book.reports.map((one) => html`<option key=${one.id} value=${`report:${one.id}`}>${one.title}</option>`)}</optgroup>
    </select><//>
    ${(chosen?.facts ?? []).map(([fact, yes, no]) => html`<${Choice} key=${fact} blank label=${t("pit.fact")} value=${values.facts?.[fact]}
      set=${(one) => setValue("facts", {...values.facts, [fact]: one})} options=${[["yes", yes], ["no", no]]} />`)}`;
}

// The act or report that is chosen, with what the book has for it.
export function recorded(book, value) {
  const [kind, id] = (value ?? "").split(":");
  return (kind === "act" ? book?.acts : book?.reports)?.find((one) => one.id === id) ?? null;
}

const DRAWN = {
  winner: (field) => html`<${Choice} ...${field} label=${t("pit.winner")} options=${["player", "banker", "tie"].map((one) => [one, t(`pit.winner_${one}`)])} />`,
  card: (field) => html`<${Card} ...${field} />`,
  flags: ({values, setValue}) => html`<${Check} label=${t("pit.face_up")} value=${values.face_up} set=${(on) => setValue("face_up", on)} />
    <${Check} label=${t("pit.exposed")} value=${values.exposed} set=${(on) => setValue("exposed", on)} />`,
  then: (field) => html`<${Check} ...${field} label=${t("pit.new_cards")} />`,
  void_reason: (field) => html`<${Choice} ...${field} label=${t("pit.reason")} options=${Object.keys(field.book.voids).map((one) => [one, t(`pit.void_${one}`)])} />`,
  cause: (field) => html`<${Choice} ...${field} label=${t("pit.cause")} options=${Object.keys(field.book.causes[field.move.verb]).map((one) => [one, t(`pit.cause_${one}`)])} />`,
  agreed: (field) => (field.values.cause === "misdeal" ? html`<${Check} ...${field} label=${t("pit.agreed")} />` : null),
  times: (field) => html`<${Text} ...${field} label=${t("pit.times")} mode="numeric" pattern="[1-9][0-9]?" most=2 />`,
  note: (field) => html`<${Text} ...${field} label=${t("pit.note")} most=500 />`,
  settled: (field) => html`<${Check} ...${field} label=${t("pit.settled")} />`,
  reason: (field) => html`<${Text} ...${field} label=${t("pit.reason")} required most=500 />`,
  coup_no: (field) => html`<${Text} ...${field} label=${t("pit.coup_no")} required mode="numeric" pattern="[0-9]{1,5}" />`,
  cards: (field) => html`<${Cards} ...${field} />`,
  moved: (field) => html`<${Moved} ...${field} />`,
  patron: (field) => html`<${Text} ...${field} label=${t("pit.patron")} required=${field.move.verb === "dispute"} most=200 />`,
  coup: (field) => html`<${Text} ...${field} label=${t("pit.coup_field")} pattern="[0-9]{1,9}/[0-9]{1,9}" hint="3/17" />`,
  coup_needed: (field) => html`<${Text} ...${field} label=${t("pit.coup_needed")} required pattern="[0-9]{1,9}/[0-9]{1,9}" hint="3/17" />`,
  direction: (field) => html`<${Choice} ...${field} label=${t("pit.direction")} options=${["over", "under"].map((one) => [one, t(`pit.direction_${one}`)])} />`,
  amount: (field) => html`<${Text} ...${field} label=${t("pit.amount")} required mode="decimal" pattern="[0-9]{1,9}([.][0-9]{2})?" hint="2500.00" />`,
  amount_optional: (field) => html`<${Text} ...${field} label=${t("pit.amount")} mode="decimal" pattern="[0-9]{1,9}([.][0-9]{2})?" hint="2500.00" />`,
  at: (field) => html`<${Field} label=${t("pit.at")}><input type="datetime-local" value=${field.value ?? ""} onInput=${(event) => field.set(event.target.value)} /><//>`,
  intentional: (field) => html`<${Check} ...${field} label=${t("pit.intentional")} />`,
  act: (field) => html`<${RecordedAct} ...${field} />`,
  minimum: (field) => html`<${Money} ...${field} label=${t("pit.sign_minimum_field")} required />`,
  maximum: (field) => html`<${Money} ...${field} label=${t("pit.sign_maximum_field")} required />`,
  maximum_as_is: (field) => html`<${Money} ...${field} label=${t("pit.sign_maximum_as_is")} />`,
  sign_at: (field) => html`<${Field} label=${t("pit.sign_at")}><input type="time" value=${field.value ?? ""} onInput=${(event) => field.set(event.target.value)} /><//>`,
  keep_old: (field) => html`<${Check} ...${field} label=${t("pit.sign_keep_old")} />`,
  game: (field) => html`<${Choice} ...${field} label=${t("pit.sign_game_field")} options=${field.move.choices.game} />`,
  players_agree: (field) => html`<${Check} ...${field} label=${t("pit.sign_players_agree")} />`,
  place: (field) => (field.move.choices?.place ? html`<${Choice} ...${field} label=${t("pit.sign_place")} options=${field.move.choices.place} />` : html`<${Text} ...${field} label=${t("pit.sign_place")} required most=12 />`),
  wager: (field) => html`<${Choice} ...${field} label=${t("pit.sign_wager")} options=${field.move.choices.wager} />`,
  notified: (field) => html`<${Text} ...${field} label=${t("pit.sign_notified")} most=160 />`,
};

// The fields that a move asks for; `setValue(name, value)` keeps what is given.
export function Fields({move, values, setValue, book}) {
  return html`${(move.ask ?? []).map((name) => html`<div key=${name} class="asked">${DRAWN[name]({
    value: values[name],
    set: (value) => setValue(name, value),
    values, setValue, book, move,
  })}</div>`)}`;
}

const cents = (text) => Math.round(Number(text) * 100);
const given = (text) => (text === undefined || text === "" ? undefined : text);
const MADE = {
  winner: (value) => ({winner: value}),
  card: (value) => ({card: value}),
  flags: (_, all) => (all.face_up || all.exposed ? {flags: {face_up: Boolean(all.face_up), exposed: Boolean(all.exposed)}} : {}),
  then: (value) => ({then: value ? "new_cards" : "go_on"}),
  void_reason: (value) => ({reason: value}),
  cause: (value) => ({cause: value}),
  agreed: (value, all) => (value && all.cause === "misdeal" ? {agreed: true} : {}),
  times: (value) => ({times: Number(value || 1)}),
  note: (value) => ({note: given(value)}),
  settled: (value) => (value ? {settled: true} : {}),
  reason: (value) => ({reason: value}),
  coup_no: (value) => ({coup_no: Number(value)}),
  cards: (value) => ({cards: Object.fromEntries(Object.entries(value ?? {}).filter(([, card]) => card))}),
  moved: (_, all) => ({
    kind: given(all.kind),
    ...Object.fromEntries(NUMBERS.map((name) => [name, given(all[name]) === undefined ? undefined : Number(all[name])])),
  }),
  patron: (value) => ({patron: given(value)}),
  coup: (value) => ({coup: given(value)}),
  coup_needed: (value) => ({coup: value}),
  direction: (value) => ({direction: value}),
  amount: (value) => ({amount_cents: cents(value)}),
  amount_optional: (value) => (given(value) ? {amount_cents: cents(value)} : {}),
  at: (value) => (given(value) ? {at: siteTime(value)} : {}),
  intentional: (value) => (value ? {intentional: true} : {}),
  minimum: (value) => ({minimum: value}),
  maximum: (value) => ({maximum: value}),
  maximum_as_is: (value) => ({maximum: given(value)}),
  sign_at: (value) => ({at: given(value)}),
  keep_old: (value) => (value ? {keep_old: true} : {}),
  game: (value) => ({game: value}),
  players_agree: (value) => (value ? {players_agree: true} : {}),
  place: (value) => ({place: value}),
  wager: (value) => ({wager: value}),
  notified: (value) => ({notified: given(value)}),
  act: (value, all) => {
    const [kind, id] = value.split(":");
    const facts = Object.entries(all.facts ?? {}).filter(([, one]) => one).map(([fact, one]) => [fact, one === "yes"]);
    return {[kind]: id, facts: Object.fromEntries(facts)};
  },
};

// The arguments of the command: those of the move, and what the person gave; what is left out is left out.
export function argumentsOf(move, values) {
  const made = Object.assign({}, move.args, ...(move.ask ?? []).map((name) => MADE[name](values[name], values)));
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
}
