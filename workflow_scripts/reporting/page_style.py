"""The style sheet of the report: one page, no web fonts, readable on a phone and on paper."""

STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --tint: #f5f7fa; --accent: #1f5fa8;
  --green: #1d7f4f; --amber: #b7791f; --red: #b3372f; }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 3.2rem; }
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
nav ul { max-width: 76rem; margin: 0 auto; padding: .55rem 1.25rem; display: flex; gap: 1.3rem; overflow-x: auto;
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
td.wide { max-width: 24rem; }
.notes { color: var(--soft); font-size: .85rem; margin: .2rem 0; }
.files { font-size: .88rem; }
figure { margin: 1rem 0; } figure svg { max-width: 44rem; width: 100%; height: auto; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--accent); }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem;
  overflow-x: auto;  font: .82rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
footer { color: var(--soft); font-size: .88rem; border-top: 1px solid var(--line); margin-top: 3rem;
  padding: 1rem 0 2rem; }
@media (max-width: 40rem) { body { font-size: 15px; } h1 { font-size: 1.4rem; } td, th { padding: .3rem .45rem; } }
@media print { nav { display: none; } main { max-width: none; } tr { break-inside: avoid; } }
""".strip()
