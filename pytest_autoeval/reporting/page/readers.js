/* What several readings show: who describes and who reads well, and how long a meaning survives. */
(() => {
  "use strict";

  const { element, harmless, number, rate, suiteName } = autoeval;
  const { begun, scrolled, seriesOf } = autoeval.marks;

  /* Fills an element with the matrices of the report, describers down and readers across, the darker the better. */
  function drawReaders(target, matrices) {
    if (!begun(target, "readers", matrices, "Nobody read what another model wrote.")) return;
    target.append(element("div", { class: "cards wide" }, matrices.map((matrix) => element("article", { class: "card" },
      element("h3", {}, suiteName(matrix.suite)),
      scrolled("Pass rates by describer and reader", heatMap(matrix)),
      matrix.findings?.length ? element("ul", { class: "plain" }, matrix.findings.map((one) => element("li", {}, harmless(one)))) : null))));
  }

  function heatMap({ describers, readers, rates }) {
    const looks = seriesOf([...new Set([...describers, ...readers])]);
    const named = (model, scope) => element("th", { scope, title: harmless(model) }, element("bdi", {}, looks.get(model).label));
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

  /* Fills an element with the share of formulas whose meaning survived so many hops. */
  function drawHops(target, suites) {
    autoeval.drawAccuracy(target, suites.map(({ suite, model, hops }) => ({
      suite, model, sizeName: "hops", bySize: hops.map((one) => ({ size: one.hop, rate: one.rate })), rate: hops.at(-1).rate,
    })));
  }

  Object.assign(globalThis.autoeval, { drawHops, drawReaders });
})();
