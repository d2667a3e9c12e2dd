// The page for an address that has none: a sentence in the reader's language, and links to what there is.
import {html, render} from "./vendor/preact.js";
import {t, title} from "./words.js";
import {Unknown} from "./unknown.js";

const links = [["/pit", t("unknown.pit")], ["/console/jackpots", t("unknown.console")]];
title("unknown.page");
render(html`<${Unknown} say=${t("unknown.page")} links=${links} />`, document.getElementById("page"));
