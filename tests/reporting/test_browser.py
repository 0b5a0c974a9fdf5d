"""report.html in a real headless Chromium: silent, self-contained, sortable, by mouse, by keyboard, on a phone."""

import json

import pytest

from tests.reporting.browser import chromium, programs

pytestmark = pytest.mark.skipif(
    programs() is None, reason="no chromium and chromedriver here (Debian: apt-get install chromium chromium-driver)"
)
CELL = 'table[data-table="table7"] button.cell[data-v]'
OPEN = 'return document.getElementById("details").open'


@pytest.fixture(scope="module")
def browser():
    with chromium() as session:
        yield session


@pytest.fixture
def opened(browser, made_report):
    """The page, fresh, in a desktop's window."""
    browser.log("browser")
    browser.log("performance")
    browser.open((made_report / "report.html").as_uri())
    return browser


def column(browser, table, index):
    script = """return [...document.querySelector(`table[data-table="${arguments[0]}"]`).tBodies[0].rows]
        .map((row) => { const cell = row.cells[arguments[1]]; const exact = cell.querySelector("[data-v]");
                        return exact ? exact.dataset.v : cell.textContent; })"""
    return browser.run(script, table, index)


def test_nothing_is_loaded_and_nothing_is_complained_about(opened, made_report):
    page = (made_report / "report.html").as_uri()
    opened.click(CELL)
    requests = []
    for entry in opened.log("performance"):
        message = json.loads(entry["message"])["message"]
        # the browser's own first tab has requests too
        if message["method"] == "Network.requestWillBeSent" and message["params"]["documentURL"].startswith(page):
            requests.append(message["params"]["request"]["url"])
    assert page in requests, "the log of requests was read"
    assert not [url for url in requests if not url.startswith(("data:", page))]
    assert opened.log("browser") == []
    assert (made_report / "report.html").stat().st_size < 3_000_000


def test_every_link_into_the_run_that_was_made_leads_somewhere(opened, made_report):
    links = opened.run('return [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))')
    inner = [link for link in links if link.startswith("#")]
    assert inner and all(opened.run("return !!document.querySelector(arguments[0])", link) for link in inner)
    made = [link for link in links if link.startswith(("tables/", "figures/", "verify", "deviations"))]
    assert len(made) > 20 and all((made_report / link).is_file() for link in made)


def test_a_heading_sorts_up_and_down_with_empty_cells_last(opened):
    before = column(opened, "table7", 3)
    numbers = sorted(float(text) for text in before if text)
    heading = 'table[data-table="table7"] th:nth-child(4)'
    opened.click(f"{heading} button")
    up = column(opened, "table7", 3)
    assert [float(text) for text in up if text] == numbers and not any(up[len(numbers) :])
    assert before != up, "the paper's order is not that of the numbers"
    opened.click(f"{heading} button")
    down = column(opened, "table7", 3)
    assert [float(text) for text in down if text] == numbers[::-1] and not any(down[len(numbers) :])
    assert opened.run("return document.querySelector(arguments[0]).ariaSort", heading) == "descending"
    opened.click('table[data-table="table7"] th:nth-child(1) button')
    names = column(opened, "table7", 0)
    assert names == sorted(names, key=str.lower)
    assert opened.run("return document.querySelector(arguments[0]).ariaSort", heading) is None


def test_counts_sort_as_numbers(opened):
    opened.click('table[data-table="table_a4"] th:nth-child(4) button')
    entities = [int(text) for text in column(opened, "table_a4", 3) if text]
    assert entities == [300, 500, 700]


def test_a_cell_opens_its_runs_and_the_command_that_makes_it_again(opened):
    row = 'table[data-table="table7"] tr[data-row="CNN ✓ ONE"]'
    opened.click(f"{row} td:nth-child(4) button")
    assert opened.run(OPEN)
    text = opened.run('return document.getElementById("details").innerText')
    for word in ("Table 7: CNN ✓ ONE, AUC", "20", "34.6", "inductive.cnn_bag_one.s1, inductive.cnn_bag_one.s2",
                 "runs/inductive.cnn_bag_one.s1/config.json", "logs/training/inductive.cnn_bag_one.s2.log",
                 "evaluation/inductive.cnn_bag_one.s1/one/metrics.json", "not comparable",
                 "snakemake --profile profiles/demo --configfile my.yaml --forcerun "
                 "results/demo/runs/inductive.cnn_bag_one.s1/model.safetensors "
                 "results/demo/runs/inductive.cnn_bag_one.s2/model.safetensors -- "
                 "results/demo/tables/table7.csv"):  # fmt: skip
        assert word in text.replace("\n", " "), word
    opened.click("#details-close")
    assert not opened.run(OPEN)


def test_a_cell_without_runs_names_its_corpus_and_its_table(opened):
    opened.click('table[data-table="table6"] button.cell[data-v]')
    text = opened.run('return document.getElementById("details").innerText').replace("\n", " ")
    assert "Made from inductive" in text and "corpus/inductive/statistics.json" in text
    assert "--forcerun results/demo/tables/table6.csv -- results/demo/tables/table6.csv" in text
    opened.press("Escape")
    assert not opened.run(OPEN)


def test_the_keyboard_is_enough(opened):
    opened.run("document.querySelector(arguments[0]).focus()", CELL)
    ring = opened.run("return getComputedStyle(document.activeElement).outlineStyle")
    opened.press("Tab")
    assert opened.run('return document.activeElement.matches("button.cell")')
    assert ring == "solid" or opened.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    opened.press("Enter")
    assert opened.run(OPEN) and opened.run('return document.getElementById("details").contains(document.activeElement)')
    opened.press("Escape")
    assert not opened.run(OPEN)
    assert opened.run('return document.activeElement.matches("button.cell")'), "the focus comes back"
    opened.run("document.querySelector('table[data-table=\"table7\"] th button').focus()")
    opened.press("Enter")
    assert opened.run("return document.querySelector('table[data-table=\"table7\"] th').ariaSort") == "ascending"


def test_curves_are_read_at_the_ruler_and_hidden(opened):
    values = 'return [...document.querySelectorAll(".legend .at")].map((span) => span.textContent)'
    assert len(opened.run(values)) == 7 and sum(bool(text) for text in opened.run(values)) == 3, "BERT's rows"
    opened.run('document.getElementById("recall").focus()')
    before = opened.run('return document.querySelector("#curves output").textContent')
    opened.press("ArrowRight")
    assert float(opened.run('return document.querySelector("#curves output").textContent')) > float(before)
    opened.run('document.querySelector(".legend input:checked").click()')
    shown = (
        'return [...document.querySelectorAll("#curves .plot path")].filter((p) => p.style.display !== "none").length'
    )
    assert sum(bool(text) for text in opened.run(values)) == 2 and opened.run(shown) == 2
    curve = 'return JSON.parse(document.getElementById("data").textContent).curves.at(-1)'
    points, at = (
        opened.run(curve)["points"],
        float(opened.run('return document.querySelector("#curves output").textContent')),
    )
    expected = next(precision for recall, precision in points if recall >= at)
    assert opened.run(values)[-1] == f"{expected:.2f}"


def test_bags_are_searched_and_their_mentions_marked(opened):
    options = 'return [...document.querySelectorAll("#bag-list option")].map((option) => option.textContent)'
    first = ["✓ 0.90 a → b: interprets", "✓ 0.70 x → y: cause_of, interprets", "✓ 0.60 Iron loss → anaemia: cause_of"]
    assert opened.run(options) == [*first, "· 0.95 p → q: NA"]
    opened.run('const box = document.getElementById("bag-search"); box.value = "IRON cause"; '
               'box.dispatchEvent(new Event("input"))')  # fmt: skip
    assert opened.run(options) == first[2:]
    marks = 'return [...document.querySelectorAll("#bag-view mark")].map((m) => [m.className, m.textContent])'
    assert opened.run(marks)[:4] == [
        ["head", "Iron loss"],
        ["tail", "anaemia"],
        ["tail", "Anämie"],
        ["head", "iron loss"],
    ]
    text = opened.run('return document.getElementById("bag-view").innerText')
    assert (
        "& iron loss <here> ." in text and "✓ 0.90 · weight 0.25" in text and "✗ 0.20 · weight 0.25 · best: NA" in text
    )
    opened.run('const box = document.getElementById("bag-search"); box.value = "interprets c10"; '
               'box.dispatchEvent(new Event("input"))')  # fmt: skip
    assert "3 more sentences" in opened.run('return document.getElementById("bag-view").innerText')


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_page_is_wider_than_its_window(browser, made_report, width):
    browser.open((made_report / "report.html").as_uri(), width, 844)
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert browser.run("return document.documentElement.clientWidth") > width - 20, "the window has the width asked for"
    browser.run("document.querySelector(arguments[0]).click()", CELL)
    box = browser.run('const b = document.getElementById("details").getBoundingClientRect(); return [b.left, b.right]')
    assert 0 <= box[0] < box[1] <= width
    assert browser.run('const d = document.getElementById("details"); return d.scrollWidth <= d.clientWidth')


def test_texts_have_contrast(opened):
    """Every text of the page against its background: 4.5 to 1, as WCAG 2.1 AA asks for."""
    script = """
    const parse = (text) => (text.match(/[0-9.]+/g) || []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const bad = new Set();
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || node.closest("svg, option, noscript, script")) continue;
      let ground = node, colour = [0, 0, 0, 0];
      while (ground && (colour.length === 4 && colour[3] === 0)) {
        colour = parse(getComputedStyle(ground).backgroundColor); ground = ground.parentElement; }
      if (colour.length === 4 && colour[3] === 0) colour = [255, 255, 255];
      const a = light(parse(getComputedStyle(node).color)), b = light(colour);
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) bad.add(`${node.tagName}.${node.className} ${ratio.toFixed(1)}`);
    }
    return [...bad];"""
    assert opened.run(script) == []
