// What a page shows that has nothing to show: a sentence, and links to what there is.
import {html} from "./vendor/preact.js";
import {t} from "./words.js";

// `links`: [address, text] of each; all tables are always among them.
export function Unknown({say, links = []}) {
  const all = [...links, ["/wall", t("unknown.wall")]];
  return html`<section class="unknown"><h1>${say}</h1>
    <ul>${all.map(([address, text]) => html`<li key=${address}><a href=${address}>${text}</a></li>`)}</ul></section>`;
}
