// Words: the sentences of the page in the reader's language; `?lang=` chooses one. And the time zone of the site.
const asked = new URLSearchParams(location.search).get("lang");
const answer = await fetch("/words" + (asked ? `?lang=${encodeURIComponent(asked)}` : ""));
const {language, languages, zone, words} = await answer.json();

document.documentElement.lang = language;

// The sentence of a key such as "wall.title", with its {values} filled in; the key itself if there is none.
export function t(key, values = {}) {
  const sentence = words[key];
  if (sentence === undefined) {
    console.error(`no sentence for ${key}`);
    return key;
  }
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// The sentence of a key if there is one, else this text: for names that come from outside.
export const wordOr = (key, text) => (Object.hasOwn(words, key) ? words[key] : text);

// Put a key's sentence into the browser's tab.
export function title(key, values) {
  document.title = t(key, values);
}

export {language, languages, zone};
