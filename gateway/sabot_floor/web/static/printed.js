// Printed: texts of a rulebook's sign in the reader's language, by their pattern: hands, numbers and names are values.
import {t, wordOr} from "./words.js";

const VALUE = /\bPlayer\b|\bBanker\b|(?:\b[A-Z]{3} )?\d(?:[\d,.]*\d)?/g; // an amount has its currency
const HANDS = {Player: "sign.player", Banker: "sign.banker"};

// The text in the reader's language, or as the book prints it; `names` are wagers, tables or a game that stand in it.
export function printed(text, names = []) {
  const values = {};
  const listed = [", ", " and "].map((last) => names.slice(0, -1).join(", ") + (names.length > 1 ? last : "") + (names.at(-1) ?? "")).find((one) => text.includes(one));
  if (listed) values.names = names.map((one) => printed(one)).join(t("sign.comma"));
  let number = 0, first = "";
  const pattern = (listed ? text.replace(listed, "{names}") : text).replace(VALUE, (found) => {
    if (!HANDS[found]) {
      values[++number] = found;
      return `{${number}}`;
    }
    first ||= found;
    const place = found === first ? "S" : "O";
    values[place] = t(HANDS[found]);
    return `{${place}}`;
  });
  const key = `print.${pattern}`;
  return wordOr(key, null) === null ? text : t(key, values);
}
