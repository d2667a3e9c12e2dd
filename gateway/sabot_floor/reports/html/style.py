"""Style of the pages: for a screen, and for A4 paper with repeated headings and page numbers."""

import string

from sabot_floor.reports.html.markup import Markup

_SCREEN = """
:root { color: #1f2328; background: #ffffff; font: 15px/1.4 system-ui, "DejaVu Sans", Arial, sans-serif; }
body { margin: 0 auto; padding: 1.5rem; max-width: 75rem; }
h1 { font-size: 1.6rem; margin: 0 0 0.5rem; }
h2 { font-size: 1.15rem; margin: 1.8rem 0 0.4rem; }
h3 { font-size: 1rem; margin: 1rem 0 0.3rem; }
p { margin: 0.4rem 0; }
a { color: #0b4fb3; }
small { color: #57606a; font-size: 0.85em; }
code { font-family: "DejaVu Sans Mono", Consolas, monospace; font-size: 0.95em; }
strong { color: #a11d14; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; margin: 0.5rem 0; }
dt { color: #57606a; }
dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
tbody, .single tr { border-bottom: 1px solid #d0d7de; }
th { background: #f0f2f5; font-weight: 600; }
td { overflow-wrap: break-word; }
tbody.total { font-weight: 600; border-top: 2px solid #57606a; }
caption { color: #57606a; font-size: 0.8em; text-align: left; padding: 0 0.5rem 0.25rem; }
.ids td { color: #57606a; font-size: 0.8em; padding-top: 0; }
.wide { min-width: 11rem; }
.person { min-width: 8rem; }
.number { text-align: right; white-space: nowrap; padding-right: 1rem; }
.whole, .card { white-space: nowrap; }
.red { color: #c8102e; }
.result { font-weight: 600; }
.result.banker { color: #c8102e; }
.result.player { color: #0b4fb3; }
.result.tie { color: #1a7f37; }
td code { white-space: nowrap; }
.count { color: #57606a; font-weight: 400; }
.warning { border: 2px solid #a11d14; padding: 0.5rem 0.8rem; margin: 0.8rem 0; }
.summary { columns: 3; column-gap: 2.5rem; padding-left: 1.2rem; margin: 0.4rem 0; }
.summary li { break-inside: avoid; }
.sums th, .sums td { padding: 0.25rem 0.3rem; }
.sums th { height: 7.5rem; vertical-align: bottom; }
.sums th span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
.single tbody { break-inside: auto; }
.single { width: auto; min-width: 60%; }
.road { margin: 0.4rem 0 0.8rem; }
.road svg { display: block; max-width: 100%; height: auto; }
"""
_PAPER = """
:root { font-size: 8pt; line-height: 1.3; }
body { max-width: none; padding: 0; }
h1 { font-size: 15pt; }
h2 { font-size: 11pt; break-after: avoid; }
h3, .road figcaption { font-size: 9pt; break-after: avoid; }
th, td { padding: 1pt 3pt; }
.number { padding-right: 8pt; }
.sums .number { padding-right: 3pt; }
.wide { min-width: 40mm; }
.person { min-width: 26mm; }
.number, .sums th { white-space: normal; }
thead { display: table-header-group; }
tbody, .single tr, figure, .warning, dl { break-inside: avoid; }
.scroll { overflow: visible; }
td code { white-space: normal; overflow-wrap: anywhere; }
a { color: inherit; text-decoration: none; }
* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
"""
_FOOTER = "font: 7pt sans-serif; color: #57606a;"
_SAFE = frozenset(string.ascii_letters + string.digits + " ,.:-")
_SMALL_SCREEN = "@media screen and (max-width: 45rem) { body { padding: 0.6rem; } .summary { columns: 1; } }"


def style(footer: str, pdf_ready: bool) -> Markup:
    """Return the style sheet; `pdf_ready` fixes the A4 page and lays it out as on paper wherever it is shown."""
    size = "210mm 297mm" if pdf_ready else "A4"
    page = (
        f"@page {{ size: {size}; margin: 12mm 12mm 16mm;\n"
        f'  @bottom-left {{ content: "{css_text(footer)}"; {_FOOTER} }}\n'
        f'  @bottom-right {{ content: "page " counter(page) " of " counter(pages); {_FOOTER} }}\n'
        "}\n"
    )
    if pdf_ready:
        paper = f"{_PAPER}@media screen {{ body {{ width: 186mm; padding: 12mm; }} }}\n"
    else:
        paper = f"@media print {{{_PAPER}}}\n{_SMALL_SCREEN}\n"
    return Markup(f"<style>\n{page}{_SCREEN}{paper}</style>")


def css_text(text: str) -> str:
    """Return text for a string of CSS; each character that could end it is written as its number."""
    return "".join(char if char in _SAFE else f"\\{ord(char):06x} " for char in text)
