// Said: sentences of gateways and of the floor as a page shows them: a command of the shell becomes the button that does
// it, a time is that of the site.
import {clockTime} from "./site_time.js";
import {t} from "./words.js";

const COMMAND = /(\b[Rr]un )?`(sabot [^`]*)`/g;
const TWO = {decide: ["decide_confirmed", "decide_void"]}; // a verb that has two buttons
const NAMED = {"deck-check --end": "deck_check_end", "ack-alarm": "acknowledge"}; // where the button has another name
const PLACES = {"gateway status": "said.pit", "ledger show": "pit.acts", "authority": "pit.do_record"};
const VALUES = new Set(["import-coup"]); // the values are not elsewhere on the page

const TIME = /(?<=[\s(])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g; // in a sentence; a time alone is a value
const ODD = /`sabot |scan_discrepancy|matching regex|\(fault |Fault \w+ is cleared| with --|[\s(]\d{4}-\d\d-\d\dT/; // others stay as they are

const quoted = (key) => t("said.button", {name: t(key)});

// Each command in a sentence becomes the name of its button or place; names of faults and cases become words, each
// time becomes that of the site; an option of a command is a field of the form.
export function said(text) {
  return text
    .replace(COMMAND, (whole, run, command) => {
      const found = button(command);
      if (found) return (run ? (run[0] === "R" ? "Press " : "press ") : "") + found;
      return (run ? (run[0] === "R" ? "See " : "see ") : "") + place(command);
    })
    .replace(/Expected `str` matching regex '[^']*'/g, "it has characters that are not allowed there")
    .replace(/ \(fault \w+\)/g, "")
    .replace(/\bFault (\w+) is cleared/g, "The fault is cleared")
    .replace(TIME, clockTime)
    .replace(/ with --[a-z-]+(?: [A-Z][A-Z/]*)?/g, "")
    .replace(/\breport scan_discrepancy\b/g, "report that shoe and cards disagree");
}

// The button of `sabot table NAME verb …`, "" if it is another command.
function button(command) {
  const found = /^sabot table \S+ (?:tell )?([a-z-]+)(.*)$/.exec(command);
  if (!found || found[1] === "open") return "";
  const [, verb, rest] = found;
  if (TWO[verb]) return t("said.or", {one: quoted(`pit.do_${TWO[verb][0]}`), other: quoted(`pit.do_${TWO[verb][1]}`)});
  const end = rest.includes(" --end") ? `${verb} --end` : verb;
  const name = quoted(`pit.do_${NAMED[end] ?? verb.replaceAll("-", "_")}`);
  const values = rest.split(" --")[0].trim();
  return VALUES.has(verb) && values ? t("said.with", {name, values}) : name;
}

// Where a page has what the command shows.
function place(command) {
  if (/^sabot table \S+ open$/.test(command)) return quoted("pit.incidents");
  const key = Object.keys(PLACES).find((one) => command.startsWith(`sabot ${one}`));
  if (!key) return command.startsWith("sabot table ") ? t("said.pit") : t("said.technician");
  return key === "gateway status" ? t(PLACES[key]) : quoted(PLACES[key]);
}

// A JSON text as a value, with all its sentences as a page shows them.
export function parse(text) {
  if (!ODD.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value) => (typeof value === "string" ? said(value) : value));
}
