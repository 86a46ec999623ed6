/* A finite model: its elements with their names, what holds of each, relations as graphs, functions as tables. */

const MOST_IN_GRAPH = 7;
const ELEMENT = 15;

/* The drawing of a witness of kind "finite model". */
function finiteModel(witness) {
  const predicates = Object.entries(witness.predicates);
  const ofArity = (arity) => predicates.filter(([, rows]) => Array.isArray(rows) && rows.length && rows[0].length === arity);
  const larger = predicates.filter(([, rows]) => Array.isArray(rows) && rows.length && rows[0].length > 2);
  const empty = predicates.filter(([, rows]) => Array.isArray(rows) && !rows.length).map(([name]) => name);
  return element("div", { class: "finite-model" },
    elements(witness, ofArity(1)),
    propositions(predicates.filter(([, rows]) => typeof rows === "boolean")),
    element("div", { class: "relations" },
      ofArity(2).map(([name, rows]) => relation(name, rows, witness)),
      larger.map(([name, rows]) => titled(name, table(rows[0].map((_, place) => `argument ${place + 1}`), rows.map((row) => row.map(String))))),
      Object.entries(witness.functions).map(([name, rows]) => functionTable(name, rows))),
    empty.length ? element("p", { class: "empty-predicates" }, "True of no element: ", listed(empty)) : null);
}

function listed(names) {
  return names.flatMap((name, place) => [place ? ", " : "", element("bdi", { class: "name" }, harmless(name))]);
}

function namesOf(constants, one) {
  return Object.entries(constants).filter(([, value]) => value === one).map(([name]) => name);
}

/* A row for each element: its names, and a mark for each predicate that holds of it. */
function elements({ domain, constants }, unary) {
  const hasNames = Object.keys(constants).length > 0;
  if (!hasNames && !unary.length) return element("p", { class: "domain" }, `Elements: ${domain.join(", ")}`);
  const rows = domain.map((one) => [
    String(one),
    element("span", {}, listed(namesOf(constants, one))),
    ...unary.map(([, tuples]) => truth(tuples.some(([member]) => member === one))),
  ]);
  const headers = ["element", "names", ...unary.map(([name]) => element("bdi", { class: "name" }, harmless(name)))];
  const kept = hasNames ? [headers, rows] : [headers.toSpliced(1, 1), rows.map((row) => row.toSpliced(1, 1))];
  return table(kept[0], kept[1], { class: "truths" });
}

function truth(value) {
  return element("span", { class: value ? "truth is-true" : "truth is-false" }, value ? "true" : "false");
}

function propositions(found) {
  return found.length
    ? table(["proposition", "value"], found.map(([name, value]) => [element("bdi", { class: "name" }, harmless(name)), truth(value)]), { class: "truths" })
    : null;
}

function titled(name, content) {
  return element("figure", { class: "relation" }, element("figcaption", {}, element("bdi", { class: "name" }, harmless(name))), content);
}

function relation(name, rows, witness) {
  return titled(name, witness.domain.length <= MOST_IN_GRAPH ? graph(name, rows, witness) : matrix(rows, witness.domain));
}

const rounded = (value) => Math.round(100 * value) / 100;

/* Elements on a circle, in the same places for every relation of a model, and an arrow for each pair. */
function graph(name, rows, { domain, constants }) {
  const around = domain.length === 1 ? 0 : Math.max(34, (domain.length * 26) / Math.PI);
  const half = around + ELEMENT + (rows.some(([from, to]) => from === to) ? 30 : 6);
  const below = domain.length === 1 ? ELEMENT + 6 : half;
  const places = new Map(domain.map((one, place) => {
    const angle = (2 * Math.PI * place) / domain.length - (domain.length === 2 ? Math.PI : Math.PI / 2);
    return [one, [rounded(around * Math.cos(angle)), rounded(around * Math.sin(angle)), angle]];
  }));
  const pairs = new Set(rows.map((row) => row.join(" ")));
  const head = freshId("arrowhead");
  const arrows = rows.map(([from, to]) => svg("path", {
    class: "arrow", "marker-end": `url(#${head})`,
    d: from === to ? loop(places.get(from), domain.length) : arc(places.get(from), places.get(to), pairs.has(`${to} ${from}`)),
  }));
  const nodes = domain.map((one) => svg("g", { class: "node", transform: `translate(${places.get(one)[0]},${places.get(one)[1]})` },
    svg("title", {}, harmless(namesOf(constants, one).join(", ") || `element ${one}`)),
    svg("circle", { r: ELEMENT }), svg("text", { y: 4.5, "text-anchor": "middle" }, String(one))));
  const said = rows.map(([from, to]) => `${from} to ${to}`).join(", ");
  return svg("svg", {
    class: "graph", role: "img", "aria-label": `${harmless(name)} relates ${said}`,
    viewBox: `${-half} ${-half} ${2 * half} ${half + below}`, width: 2 * half, height: half + below,
  }, arrowhead(head), ...arrows, ...nodes);
}

function arrowhead(id) {
  return svg("defs", {}, svg("marker", {
    id, class: "arrowhead", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse",
  }, svg("path", { d: "M0,0.5L8,4L0,7.5z" })));
}

/* From rim to rim; bent to its left where another arrow comes back. */
function arc([x1, y1], [x2, y2], isBent) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy);
  const turn = isBent ? 0.4 : 0;
  const direction = Math.atan2(dy, dx);
  const start = [x1 + ELEMENT * Math.cos(direction - turn), y1 + ELEMENT * Math.sin(direction - turn)];
  const end = [x2 - (ELEMENT + 2) * Math.cos(direction + turn), y2 - (ELEMENT + 2) * Math.sin(direction + turn)];
  const bend = isBent ? length * 0.16 : 0;
  const middle = [(start[0] + end[0]) / 2 + (bend * dy) / length, (start[1] + end[1]) / 2 - (bend * dx) / length];
  return `M${start}Q${middle},${end}`;
}

/* Out of the circle's far side, away from the other elements. */
function loop([x, y, angle], elements_) {
  const away = elements_ === 1 ? -Math.PI / 2 : angle;
  const on = (turn, reach) => [x + reach * Math.cos(away + turn), y + reach * Math.sin(away + turn)];
  return `M${on(-0.5, ELEMENT)}C${on(-0.75, ELEMENT + 32)},${on(0.75, ELEMENT + 32)},${on(0.5, ELEMENT + 2)}`;
}

function matrix(rows, domain) {
  const pairs = new Set(rows.map((row) => row.join(" ")));
  return table(["", ...domain.map(String)], domain.map((from) => [
    String(from), ...domain.map((to) => truth(pairs.has(`${from} ${to}`)))]), { class: "truths" });
}

function functionTable(name, rows) {
  const arguments_ = rows.length ? rows[0].length - 1 : 0;
  const headers = [...Array.from({ length: arguments_ }, (_, place) => (arguments_ > 1 ? `argument ${place + 1}` : "argument")), "value"];
  return titled(name, table(headers, rows.map((row) => row.map(String))));
}
