"""What the report does by itself: sorting, the details of a cell, curves under a ruler, the browser of bags.

Plain JavaScript, no library, nothing loaded. Everything that it shows is text in the page already or in its one block
of data; without it the page is still whole, but for these four.
"""

SCRIPT = r"""
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "text") node.textContent = value;
    else if (value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}
const SVG = "http://www.w3.org/2000/svg";
function draw(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

// Sorting: a button in each heading; once up, once down. Cells without a value stay at the end.
function valueOf(cell) {
  const exact = cell.querySelector("[data-v]");
  const text = exact ? exact.dataset.v : cell.textContent.trim();
  if (text === "" || text === "—") return null;
  const number = Number(text.replace(/,/g, "").replace(/ ?%$/, ""));
  return Number.isNaN(number) ? text.toLowerCase() : number;
}
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
function sortBy(table, heading, column) {
  const down = heading.getAttribute("aria-sort") === "ascending";
  const rows = [...table.tBodies[0].rows].map((row, place) => ({ row, place, value: valueOf(row.cells[column]) }));
  rows.sort((a, b) => {
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.place - b.place;
    return (down ? -1 : 1) * compare(a.value, b.value) || a.place - b.place;
  });
  table.classList.add("sorted");
  table.tBodies[0].append(...rows.map((entry) => entry.row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
}
for (const table of document.querySelectorAll("main table")) {
  if (table.tBodies[0].rows.length < 2) continue;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = make("button", { type: "button", class: "sort", text: heading.textContent });
    button.addEventListener("click", () => sortBy(table, heading, column));
    heading.replaceChildren(button);
  });
}

// Details of a cell.
const dialog = byId("details");
function fact(list, label, ...value) {
  list.append(make("dt", { text: label }), make("dd", {}, ...value));
}
function command(text) {
  const button = make("button", { type: "button", class: "copy", text: "Copy" });
  button.addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(button.previousSibling);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    const done = () => { button.textContent = "Copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
  });
  return make("div", { class: "command" }, make("code", { text }), button);
}
function link(path, text) {
  return make("a", { href: path, text: text || path });
}
function redo(targets, result) {
  return `snakemake ${data.options} --forcerun ${targets.join(" ")} -- ${result}`;
}
function runDetails(run, pooling) {
  const known = data.runs[run];
  const block = make("details", { open: true }, make("summary", { text: `Run ${run}` }));
  const list = make("dl", {});
  fact(list, "Configuration", link(`runs/${run}/config.json`));
  fact(list, "Model", make("code", { text: Object.entries(known).map(([k, v]) => `${k} ${v}`).join(" · ") }));
  fact(list, "History", link(`runs/${run}/history.jsonl`));
  fact(list, "Log", link(`logs/training/${run}.log`));
  if (pooling) fact(list, "Metrics", link(`evaluation/${run}/${pooling}/metrics.json`));
  block.append(list);
  return block;
}
function show(button) {
  const row = button.closest("tr"), name = button.closest("table").dataset.table;
  const runs = (row.dataset.runs || "").split("|").filter(Boolean);
  const trained = runs.filter((run) => run in data.runs);
  const result = `results/${data.name}/tables/${name}.csv`;
  const label = button.closest("table").tHead.rows[0].cells[button.closest("td").cellIndex].textContent;
  byId("details-title").textContent = `${data.tables[name]}: ${row.dataset.row}, ${label}`;
  const list = make("dl", {}), body = byId("details-body");
  const ours = "v" in button.dataset ? button.dataset.v : button.firstChild.textContent.trim();
  fact(list, "Ours", ours || "no value");
  if (button.dataset.sd) fact(list, "Standard deviation", `${button.dataset.sd} (${runs.length} seeds)`);
  if (button.dataset.paper) fact(list, "Published", button.dataset.paper);
  if (button.dataset.difference) fact(list, "Difference", button.dataset.difference);
  if (button.dataset.verdict) fact(list, "Verdict", button.dataset.verdict);
  const others = runs.filter((run) => !(run in data.runs));
  if (runs.length) fact(list, trained.length ? "Runs" : "Made from", runs.join(", "));
  for (const id of others.filter((id) => data.corpora.includes(id)))
    fact(list, "Statistics", link(`corpus/${id}/statistics.json`));
  fact(list, "Log of the table", link(`logs/reporting/render_${name}.log`));
  const forced = trained.map((run) => `results/${data.name}/runs/${run}/model.safetensors`);
  const again = redo(forced.length ? forced : [result], result);
  fact(list, trained.length ? "Train this cell again" : "Make it again", command(again));
  body.replaceChildren(list, ...trained.map((run) => runDetails(run, row.dataset.pooling)));
  dialog.showModal();
  dialog.scrollTop = 0;
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.cell");
  if (button) show(button);
  if (event.target === dialog || event.target.closest("#details-close")) dialog.close();
});
"""

CURVES = r"""
// Curves: lines that can be shown and hidden, and a ruler at one recall that is a slider.
const plot = byId("curves");
const DASHES = ["", "9 3", "2 2.5", "9 3 2 3", "5 2", "12 3 3 3 3 3"];
const COLOURS = ["#000000", "#c24e00", "#0065a3", "#00785a", "#a8467f", "#8f6200"];
function precisionAt(points, recall) {
  let low = 0, high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < recall) low = middle + 1; else high = middle;
  }
  return points[low][0] >= recall ? points[low][1] : null;
}
function curves(holder) {
  // drawn for the width there is, so that its text keeps its size on a phone
  const width = Math.max(300, Math.min(640, holder.clientWidth)), height = Math.round(width * 0.66);
  const left = 46, bottom = 40, top = 10, right = 10;
  const x = (recall) => left + recall * (width - left - right);
  const y = (precision) => height - bottom - precision * (height - bottom - top);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Precision by recall" });
  for (let i = 0; i <= 5; i++) {
    const value = i / 5;
    svg.append(draw("line", { x1: x(value), x2: x(value), y1: y(0), y2: y(1), class: "rule" }),
      draw("line", { x1: x(0), x2: x(1), y1: y(value), y2: y(value), class: "rule" }),
      draw("text", { x: x(value), y: height - bottom + 18, "text-anchor": "middle" }, value.toFixed(1)),
      draw("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, value.toFixed(1)));
  }
  svg.append(draw("text", { x: x(0.5), y: height - 5, "text-anchor": "middle" }, "Recall"),
    draw("text", { x: 12, y: y(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${y(0.5)})` }, "Precision"));
  const ruler = draw("line", { y1: y(0), y2: y(1), class: "ruler" });
  const slider = make("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0.2, id: "recall" });
  const readout = make("output", { for: "recall" });
  const legend = make("ul", { class: "legend" });
  const entries = data.curves.map((curve, number) => {
    const style = { stroke: COLOURS[number % COLOURS.length],
      "stroke-dasharray": DASHES[(number + Math.floor(number / COLOURS.length)) % DASHES.length] };
    const path = draw("path", { ...style, fill: "none", "stroke-width": 2,
      d: "M" + curve.points.map(([r, p]) => `${x(r).toFixed(1)} ${y(p).toFixed(1)}`).join("L") });
    const box = make("input", { type: "checkbox", id: `curve-${number}` });
    box.checked = curve.shown;
    const sample = draw("svg", { width: 34, height: 10, "aria-hidden": "true" });
    sample.append(draw("line", { ...style, x1: 0, x2: 34, y1: 5, y2: 5, "stroke-width": 2.5 }));
    const value = make("span", { class: "at" });
    legend.append(make("li", {}, make("label", {}, box, sample, make("span", { text: curve.label }), value)));
    svg.append(path);
    box.addEventListener("change", update);
    return { curve, path, box, value };
  });
  svg.append(ruler);
  function update() {
    const recall = Number(slider.value);
    ruler.setAttribute("x1", x(recall));
    ruler.setAttribute("x2", x(recall));
    readout.textContent = recall.toFixed(2);
    for (const { curve, path, box, value } of entries) {
      path.style.display = box.checked ? "" : "none";
      const precision = precisionAt(curve.points, recall);
      value.textContent = box.checked && precision !== null ? precision.toFixed(2) : "";
    }
  }
  slider.addEventListener("input", update);
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const recall = ((event.clientX - box.left) * width / box.width - left) / (width - left - right);
    slider.value = Math.min(1, Math.max(0, recall));
    update();
  });
  holder.append(make("div", { class: "plot" }, svg,
    make("label", { class: "ruler-label" }, "Recall ", slider, readout)), legend);
  update();
}
if (plot && data.curves.length) curves(plot);
"""

BAGS = r"""
// Bags: a list to search in, and the sentences of the chosen pair.
const browser = byId("bags");
function sentence(entry, relation) {
  const characters = [...entry.t], text = make("p", {});
  const spans = [[entry.h[0], entry.h[1], "b", "head"], [entry.e[0], entry.e[1], "i", "tail"]];
  spans.sort((a, b) => a[0] - b[0]);
  let place = 0;
  for (const [start, end, kind, role] of spans) {
    const mention = make("mark", { class: kind === "b" ? "head" : "tail", title: role });
    mention.textContent = characters.slice(start, end).join("");
    text.append(characters.slice(place, start).join(""), mention);
    place = end;
  }
  text.append(characters.slice(place).join(""));
  const found = entry.r === relation;
  const bar = make("meter", { min: 0, max: 1, value: entry.p, "aria-label": `probability of ${relation}` });
  const says = `${found ? "✓" : "✗"} ${entry.p.toFixed(2)} · weight ${entry.w.toFixed(2)}` +
    (found ? "" : ` · best: ${entry.r}`);
  return make("li", {}, text, make("div", { class: "says" }, bar, make("span", { text: says })));
}
function bags(holder) {
  const search = make("input", { type: "search", id: "bag-search", placeholder: "relation, CUI or words" });
  const list = make("select", { id: "bag-list", size: 8, "aria-label": "Pairs" });
  const count = make("p", { class: "caption", role: "status" });
  const view = make("div", { id: "bag-view", "aria-live": "polite" });
  const texts = data.bags.map((bag) => [...bag.pair, ...bag.names, ...bag.labels, bag.relation,
    ...bag.sentences.map((entry) => entry.t)].join(" ").toLowerCase());
  function title(bag) {
    const mark = bag.labels.length ? (bag.labels.includes(bag.relation) ? "✓" : "✗") : "·";
    return `${mark} ${bag.score.toFixed(2)} ${bag.names[0]} → ${bag.names[1]}: ${bag.labels.join(", ") || "NA"}`;
  }
  function open() {
    const bag = data.bags[Number(list.value)];
    if (list.value === "" || !bag) { view.replaceChildren(); return; }
    const left = bag.n - bag.sentences.length;
    view.replaceChildren(
      make("h4", { text: `${bag.names[0]} (${bag.pair[0]}) → ${bag.names[1]} (${bag.pair[1]})` }),
      make("p", { text: `In the corpus: ${bag.labels.join(", ") || "NA"}. ` +
        `The model: ${bag.relation}, ${bag.score.toFixed(3)}.` }),
      make("ol", {}, ...bag.sentences.map((entry) => sentence(entry, bag.relation))),
      make("p", { class: "caption",
        text: left ? `${left} more sentences, which weigh less, are not on this page.` : "" }));
  }
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = data.bags.map((bag, number) => number)
      .filter((number) => words.every((word) => texts[number].includes(word)));
    list.replaceChildren(...hits.map((number) => make("option", { value: number, text: title(data.bags[number]) })));
    count.textContent = `${hits.length} of ${data.bags.length} pairs`;
    if (hits.length) list.selectedIndex = 0;
    open();
  }
  search.addEventListener("input", filter);
  list.addEventListener("change", open);
  holder.append(make("label", { for: "bag-search", text: "Search " }), search, count, list, view);
  filter();
}
if (browser && data.bags.length) bags(browser);
})();
"""
