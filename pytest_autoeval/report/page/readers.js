/* Models that describe, and models that read what others described. */

/* Fills an element with the matrices of the report, describers down and readers across; a darker cell is a better rate. */
function drawReaders(target, matrices) {
  target.append(element("div", { class: "cards wide" }, matrices.map((matrix) => element("article", { class: "card" },
    element("h3", {}, suiteName(matrix.suite)),
    scrolled("Pass rates by describer and reader", heatMap(matrix)),
    matrix.findings?.length ? element("ul", { class: "plain" }, matrix.findings.map((one) => element("li", {}, harmless(one)))) : null))));
}

function heatMap({ describers, readers, rates }) {
  const named = (model, scope) => element("th", { scope }, text(model));
  return element("table", { class: "matrix heat" },
    element("thead", {},
      element("tr", {}, element("th", { rowspan: 2, scope: "col" }, "described by"), element("th", { colspan: readers.length, scope: "colgroup" }, "read by")),
      element("tr", {}, readers.map((reader) => named(reader, "col")))),
    element("tbody", {}, rates.map((row, at) => element("tr", {}, named(describers[at], "row"), row.map(cell)))));
}

function cell(counts) {
  if (!counts?.total) return element("td", {}, "–");
  const made = element("td", { class: "right" }, element("b", {}, rate(counts)), element("span", { class: "share" }, `of ${number(counts.total)}`));
  made.style.setProperty("--weight", `${Math.round(60 * counts.lower)}%`);
  return made;
}
