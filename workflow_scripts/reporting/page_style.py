"""The style sheet of the report: one page, no web fonts, readable on a phone and on paper."""

STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --tint: #f5f7fa; --accent: #1f5fa8;
  --green: #1d7f4f; --amber: #b7791f; --red: #b3372f; }
* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
body { margin: 0; color: var(--ink); background: #fff;
  font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main, header > div, footer > div { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { background: var(--tint); border-bottom: 1px solid var(--line); padding: 1.8rem 0 1.4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; padding-top: .3rem; }
h3 { font-size: 1.02rem; margin: 1.9rem 0 .35rem; }
p { margin: .4rem 0; max-width: 60rem; }
a { color: var(--accent); text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
code { font: .88em ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
nav { position: sticky; top: 0; z-index: 1; background: #fff; border-bottom: 1px solid var(--line); }
nav ul { max-width: 76rem; margin: 0 auto; padding: .55rem 1.25rem; display: flex; flex-wrap: wrap; gap: .1rem 1.3rem;
  list-style: none; white-space: nowrap; font-size: .93rem; }
.lead { color: var(--soft); } .caption { color: var(--soft); font-size: .92rem; }
.notice { border-left: 4px solid var(--amber); background: #fdf7ea; padding: .7rem 1rem; margin: 1.3rem 0; }
.notice.fine { border-color: var(--green); background: #eef8f2; }
.notice ul { margin: .3rem 0; padding-left: 1.2rem; } .notice li { font-size: .93rem; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem;
  margin: 1.3rem 0; padding: 0; }
.cards div { border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem; }
.cards dt { color: var(--soft); font-size: .85rem; } .cards dd { margin: 0; }
.cards .big { font-size: 1.45rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; border-bottom: 2px solid var(--ink); padding: .3rem .7rem;
  vertical-align: bottom; }
td { padding: .32rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tr.group td { border-top: 2px solid #b4bdc8; }
td code { white-space: nowrap; }
tbody tr:hover td { background: var(--tint); }
th.n, td.n { text-align: right; white-space: nowrap; }
.sd, .paper, sup { color: var(--soft); font-size: .82em; } .paper { display: block; } sup { line-height: 0; }
.up { color: #2d6a4f; } .down { color: #8c4a2f; }
.green, .amber, .red { border-left: 4px solid; } .green { border-left-color: var(--green); }
.amber { border-left-color: var(--amber); } .red { border-left-color: var(--red); }
td.wide { max-width: 24rem; overflow-wrap: anywhere; min-width: 8rem; }
.notes { color: var(--soft); font-size: .85rem; margin: .2rem 0; }
.files { font-size: .88rem; }
figure { margin: 1rem 0; } figure img { max-width: 52rem; width: 100%; height: auto; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--accent); }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem;
  overflow-x: auto;  font: .82rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
footer { color: var(--soft); font-size: .88rem; border-top: 1px solid var(--line); margin-top: 3rem;
  padding: 1rem 0 2rem; }
button { font: inherit; color: inherit; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; border-radius: 2px; }
button.cell, button.sort { background: none; border: 0; padding: 0; margin: 0; text-align: inherit;
  font-weight: inherit; font-variant-numeric: inherit; }
button.cell { min-width: 100%; } button.cell:hover { text-decoration: underline dotted; }
button.sort::after { content: "↕"; color: #8592a3; font-size: .75em; padding-left: .25em; }
th[aria-sort=ascending] button.sort::after { content: "↑"; color: var(--ink); }
th[aria-sort=descending] button.sort::after { content: "↓"; color: var(--ink); }
.sorted tr.group td { border-top: 0; }
dialog { border: 1px solid #8592a3; border-radius: .6rem; padding: 0; width: min(44rem, calc(100vw - 1.5rem));
  max-height: calc(100vh - 2rem); color: inherit; }
dialog > div { padding: 1.1rem 1.3rem; } dialog::backdrop { background: rgb(20 28 40 / .45); }
dialog h2 { margin: 0 0 .6rem; font-size: 1.1rem; }
dialog dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .3rem .9rem; margin: .4rem 0; }
dialog dt { color: var(--soft); } dialog dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.command code { display: block; background: var(--tint); border: 1px solid var(--line); border-radius: .3rem;
  padding: .4rem .6rem; margin-bottom: .3rem; }
.copy, #details-close { border: 1px solid #8592a3; border-radius: .35rem; background: #fff; padding: .15rem .7rem; }
#curves { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; } #curves .plot { flex: 1 1 30rem; max-width: 44rem;
  min-width: 0; }
#curves svg text { font-size: 12px; fill: var(--ink); } #curves .plot svg { width: 100%; height: auto;
  touch-action: pan-y; }
#curves .rule { stroke: #dfe4ea; } #curves .ruler { stroke: var(--red); stroke-width: 1.5; }
.ruler-label { display: flex; gap: .6rem; align-items: center; } .ruler-label input { flex: 1; min-width: 0; }
.legend { list-style: none; margin: 0; padding: 0; flex: 0 1 17rem; font-size: .9rem; }
.legend label { display: flex; gap: .45rem; align-items: center; padding: .12rem 0; }
.legend .at { margin-left: auto; font-variant-numeric: tabular-nums; }
#bags input[type=search] { font: inherit; width: min(26rem, 100%); padding: .25rem .5rem; border: 1px solid #8592a3;
  border-radius: .35rem; }
#bags select { font: inherit; font-size: .9rem; width: 100%; border: 1px solid #8592a3; border-radius: .35rem; }
#bag-view h4 { margin: 1rem 0 .2rem; overflow-wrap: anywhere; } #bag-view li { margin-bottom: .6rem; }
mark { background: none; color: inherit; font-weight: 700; } mark.tail { font-style: italic; }
.says { display: flex; gap: .6rem; align-items: center; color: var(--soft); font-size: .88rem; flex-wrap: wrap; }
meter { width: 7rem; }
@media (max-width: 40rem) { nav ul { flex-wrap: nowrap; overflow-x: auto; }
  figure { overflow-x: auto; } figure img { min-width: 36rem; }
  dialog dl { grid-template-columns: 1fr; gap: 0; } dialog dd { margin-bottom: .45rem; } }
@media (max-width: 40rem) { body { font-size: 15px; } h1 { font-size: 1.4rem; } td, th { padding: .3rem .45rem; } }
@media print { nav, button.copy, #bags, #curves { display: none; } main { max-width: none; }
  tr { break-inside: avoid; } }
""".strip()
