/*
 * What the charts and drawings are made of: SVG elements and the look of each series.
 * Colours are classes of charts.css; whatever a colour says is said by a shape, a pattern or a word as well.
 */

const SVG = "http://www.w3.org/2000/svg";

/* An SVG element; attributes whose value is null or undefined are left out, strings among the children are text. */
function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const invertedTriangle = {
  draw(context, size) {
    const side = -Math.sqrt(size / (Math.sqrt(3) * 3));
    context.moveTo(0, side * -2);
    context.lineTo(-Math.sqrt(3) * side, side);
    context.lineTo(Math.sqrt(3) * side, side);
    context.closePath();
  },
};
const SYMBOLS = [
  d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond,
  d3.symbolCross, invertedTriangle, d3.symbolStar, d3.symbolWye,
];
const DASHES = [null, "6 3", "2 2", "8 2 2 2", "4 2", "10 4", "1 3", "6 2 1 2 1 2"];

/*
 * The look of each of some names, in their order: a label, a colour, a symbol and a dash. Beyond eight the colours come
 * again with hollow symbols.
 */
function seriesOf(names, labels = names) {
  return new Map(names.map((name, place) => {
    const look = place % SYMBOLS.length;
    return [name, {
      name,
      label: labels[place],
      alone: names.length === 1,
      class: `series-${look + 1}${place < SYMBOLS.length ? "" : " hollow"}`,
      symbol: SYMBOLS[look],
      dash: DASHES[look],
    }];
  }));
}

/* Text of at most so many characters, without its middle where it is longer. */
function elided(text, most) {
  const signs = [...harmless(text)];
  if (signs.length <= most) return signs.join("");
  const head = Math.ceil((most - 1) / 2);
  return `${signs.slice(0, head).join("")}…${signs.slice(signs.length - (most - 1 - head)).join("")}`;
}

/* The symbol of a series at some places, [x, y] each, in one path: thousands of elements would take their time. */
function symbolsAt(look, places, area = 42) {
  const path = d3.pathRound(2);
  for (const [x, y] of places) {
    look.symbol.draw({
      moveTo: (dx, dy) => path.moveTo(x + dx, y + dy),
      lineTo: (dx, dy) => path.lineTo(x + dx, y + dy),
      arc: (dx, dy, ...angles) => path.arc(x + dx, y + dy, ...angles),
      rect: (dx, dy, ...sides) => path.rect(x + dx, y + dy, ...sides),
      closePath: () => path.closePath(),
    }, area);
  }
  return svg("path", { class: `symbol ${look.class}`, d: path.toString() });
}

/* A key; an entry is what is drawn, on so much room, and what it means. */
function keyOf(entries) {
  return element("ul", { class: "chart-key" }, entries.map(({ width, drawn, meaning }) => element("li", {},
    svg("svg", { class: "swatch", viewBox: `0 0 ${width} 14`, width, height: 14, "aria-hidden": "true" }, ...drawn.map((one) => one.cloneNode(true))),
    element("bdi", {}, harmless(meaning)))));
}

/* The symbol of a series beside text. */
function swatch(look) {
  return svg("svg", { class: "swatch", viewBox: "0 0 14 14", width: 14, height: 14, "aria-hidden": "true" }, symbolsAt(look, [[7, 7]]));
}

/* A model's label behind its symbol. */
function modelName(look) {
  return element("span", { class: "model-mark", title: harmless(look.name) }, swatch(look), element("bdi", {}, harmless(look.label)));
}

let named = 0;

/* A name that no other element of the page has. */
function freshId(stem) {
  named += 1;
  return `${stem}-${named}`;
}
