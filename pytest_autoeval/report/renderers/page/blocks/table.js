/* A table with sticky headings, sorted by any column. On a phone a row becomes lines, each behind the name of its column. */

/* From so many columns on a table is scrolled sideways in a box of its own. */
const WIDE = 8;
const ARROWS = { ascending: "▲", descending: "▼", none: "↕" };
const WORDS = ["name", "formula", "text"];

/* Names of models without the beginning that they share, which ends behind one of these signs. */
function labelsOf(names) {
  const known = [...new Set(names)];
  const first = known[0] ?? "";
  for (let end = first.length; end > 0 && known.length > 1; end -= 1) {
    const labels = known.map((name) => name.slice(end));
    if ("/?&".includes(first[end - 1]) && known.every((name) => name.startsWith(first.slice(0, end))) && labels.every((label) => /^[^\d]/.test(label))) {
      return { common: first.slice(0, end), of: new Map(known.map((name, place) => [name, labels[place]])) };
    }
  }
  return { common: "", of: new Map(known.map((name) => [name, name])) };
}

/* The sign of a state; it leads to the part of the page on that suite, where there is one. */
function stateSign(state, target) {
  const { sign, name } = VERDICTS[state] ?? VERDICTS["no gate"];
  const shown = [element("span", { class: `mark tone-${name}`, "aria-hidden": "true" }, sign), element("span", { class: "unseen" }, state)];
  if (!target) return element("span", { class: "state", title: state }, shown);
  return element("button", { type: "button", class: "state", title: `${state}: show why`, on: { click: () => showSection(target) } }, shown);
}

/* What a cell shows. The name of a suite leads to its samples. */
function cellContent(value, column, { look, links, isTotal }) {
  if (!exists(value)) return isTotal ? "" : NOTHING;
  if (typeof value === "object") return shownFigure(value, { isMeasured: false, look });
  if (typeof value === "number") return valueText(value, WORDS.includes(column.unit) ? "number" : column.unit);
  if (column.unit === "formula") return text(value, { class: "formula" });
  if (column.unit !== "name") return text(value);
  return links.filters[value] ? linkToSamples(suiteName(value), ...links.filters[value]) : suiteName(value);
}

/* The value of a cell to sort by; null is last. */
function sortKey(value) {
  return (typeof value === "object" ? value?.value : value) ?? null;
}

/* Rows in the order of a column, the unknown last; equal ones keep their order. */
function inOrder(rows, place, way) {
  const keyed = rows.map((row) => [sortKey(row.data.cells[place]), row]);
  const known = keyed.filter(([key]) => key !== null).sort(([a], [b]) => (way === "descending" ? -1 : 1) * (a < b ? -1 : Number(a > b)));
  return [...known, ...keyed.filter(([key]) => key === null)].map(([, row]) => row);
}

/* The headings, in two lines where columns have groups. */
function headings(columns, labels, looks, sort) {
  const heading = (column, place, rowspan) => element("th", { role: "columnheader", scope: "col", rowspan, "data-place": place, "aria-sort": sort ? "none" : null, class: place && isNumber(column) ? "number" : null },
    sort ? element("button", { type: "button", class: "sort", on: { click: () => sort(place) } }, text(column.name), element("span", { class: "arrow", "aria-hidden": "true" }, ARROWS.none)) : text(column.name),
    column.measure || column.unit === "points" ? element("span", { class: "reason" }, text(column.measure || "points")) : null);
  const groups = [];
  for (const [place, column] of columns.entries()) {
    if (column.group && groups.at(-1)?.name === column.group) groups.at(-1).places.push(place);
    else groups.push({ name: column.group, places: [place] });
  }
  const above = groups.map(({ name, places }) => (name
    ? element("th", { role: "columnheader", scope: "colgroup", colspan: places.length }, modelName({ ...looks.get(name), label: labels.of.get(name) }))
    : heading(columns[places[0]], places[0], 2)));
  if (groups.every(({ name }) => !name)) return [element("tr", { role: "row" }, columns.map((column, place) => heading(column, place)))];
  const below = columns.flatMap((column, place) => (column.group ? [heading(column, place)] : []));
  return [element("tr", { role: "row" }, above), element("tr", { role: "row" }, below)];
}

const isNumber = (column) => !WORDS.includes(column.unit) && column.unit !== "rate";

function tableRow(row, columns, labels, where) {
  const filter = where.links.filters[row.cells[0]];
  return element("tr", { role: "row", hidden: row.level === "verbose" }, columns.map((column, place) => {
    const state = row.states ? row.states[place] : place === 0 && row.state;
    const look = where.looks.get(column.group);
    const group = column.group !== columns[place - 1]?.group && labels.of.get(column.group);
    const isOnlyRate = column.unit === "rate" && columns.filter((one) => one.group === column.group && one.unit === "rate").length === 1;
    const name = [group, !(group && isOnlyRate) && column.name].filter(Boolean).join(", ");
    const classes = place ? [isNumber(column) && "number", group && "begins-group"].filter(Boolean).join(" ") : "";
    return element(place ? "td" : "th", {
      role: place ? "cell" : "rowheader", scope: place ? null : "row", class: classes || null, "data-name": place ? harmless(name) : null,
    }, element("div", { class: "cell" },
      state ? stateSign(state, filter && where.sectionOf(filter[0], filter[1] || column.group)) : null,
      cellContent(row.cells[place], column, { look, links: where.links, isTotal: row.total }),
      row.marked?.includes(place) ? element("span", { class: "star" }, "*") : null));
  }));
}

function drawTable({ columns: all, rows, title, thing = "row", mark }, where) {
  const columns = all.map((column) => ({ unit: "name", ...column }));
  const labels = labelsOf(columns.map(({ group }) => group).filter(Boolean));
  const made = rows.map((data) => ({ data, line: tableRow(data, columns, labels, where) }));
  const shown = made.filter(({ data }) => !data.total);
  const body = element("tbody", { role: "rowgroup" }, shown.map(({ line }) => line));
  const ways = ["none", "ascending", "descending", "none"];
  const sort = (place) => {
    const pressed = head.querySelector(`[data-place="${place}"]`);
    const way = ways[ways.indexOf(pressed.getAttribute("aria-sort")) + 1];
    for (const heading of head.querySelectorAll("[aria-sort]")) {
      heading.setAttribute("aria-sort", heading === pressed ? way : "none");
      heading.querySelector(".arrow").textContent = ARROWS[heading === pressed ? way : "none"];
    }
    body.replaceChildren(...(way === "none" ? shown : inOrder(shown, place, way)).map(({ line }) => line));
  };
  const head = element("thead", { role: "rowgroup" }, headings(columns, labels, where.looks, shown.length > 2 ? sort : null));
  const totals = made.filter(({ data }) => data.total).map(({ line }) => line);
  return element("div", { class: "tabled" },
    title ? element("h4", {}, text(title)) : null,
    labels.common ? element("p", { class: "about" }, text(labels.common), "…") : null,
    element("div", columns.length < WIDE ? { class: "board" } : { class: "board scrolled", tabindex: 0, role: "region", "aria-label": harmless(title || "table") },
      element("table", { role: "table", class: "rows" }, head, body, totals.length ? element("tfoot", { role: "rowgroup" }, totals) : null)),
    showMore(shown.map(({ line }) => line), thing),
    mark ? element("p", { class: "about" }, element("span", { class: "star" }, "*"), " ", text(mark)) : null);
}
