/* An infinite trace that comes back: its states in a row with the way back, and which propositions hold in each. */

const MOST_STATES = 60;
const COLUMN = 44;
const ATOM_ROW = 26;
const STATES_AT = 58;
const STATE = 13;
const LONGEST_NAME = 22;

/* The trace that a text canonically is, in the form of a witness; null where it is something else. */
function parsedTrace(text) {
  const whole = /^\s*((?:[^{};]+;\s*)*)cycle\s*\{([^{}]+)\}\s*$/u.exec(text);
  if (!whole) return null;
  const atoms = new Set();
  const state = (written) => {
    const holding = [];
    for (const literal of written.trim() === "1" ? [] : written.split("&")) {
      const match = /^\s*(!?)\s*([A-Za-z_][\w.]*)\s*$/u.exec(literal);
      if (!match) return null;
      atoms.add(match[2]);
      if (!match[1]) holding.push(match[2]);
    }
    return holding;
  };
  const prefix = whole[1].split(";").slice(0, -1).map(state);
  const loop = whole[2].split(";").map(state);
  return [...prefix, ...loop].includes(null) ? null : { prefix, loop, atoms: [...atoms] };
}

/*
 * The drawing of a witness of kind "trace", or of what `parsedTrace` gives. Steps are counted from 1, as in the questions to
 * the author of requirements.
 */
function lasso({ prefix, loop, atoms }) {
  const states = [...prefix, ...loop];
  const label = `${prefix.length ? `${prefix.length} ${prefix.length === 1 ? "state" : "states"}, then ` : ""}a loop of ${loop.length}`;
  const numbers = () => table(["state", ...atoms.map(harmless)], states.map((state, place) => [
    place < prefix.length ? String(place + 1) : `${place + 1} (loop)`, ...atoms.map((atom) => String(state.includes(atom)))]));
  const isDrawn = states.length <= MOST_STATES;
  return element("div", { class: "lasso" },
    isDrawn ? scrolled(`trace: ${label}`, timeline(prefix, states, atoms, label)) : element("p", {}, `The trace has ${states.length} states, too many to draw.`),
    folded("State by state", (body) => body.append(scrolled("state by state", numbers()))));
}

function timeline(prefix, states, atoms, label) {
  const names = atoms.map((atom) => elided(atom, LONGEST_NAME));
  const left = 24 + 7.6 * Math.max(5, ...names.map((name) => [...name].length));
  const at = (place) => left + COLUMN * (place + 0.5);
  const right = left + COLUMN * states.length + 16;
  const bottom = STATES_AT + 34 + ATOM_ROW * atoms.length;
  const head = freshId("arrowhead");
  const first = prefix.length;
  const last = states.length - 1;
  const said = states.map((state, place) => `state ${place + 1}: ${state.map(harmless).join(", ") || "none"}`).join("; ");
  return svg("svg", {
    class: "timeline", role: "img", width: right, height: bottom + 6, viewBox: `0 0 ${right} ${bottom + 6}`,
    "aria-label": `${label}. What holds: ${said}`,
  },
  arrowhead(head),
  svg("rect", { class: "loop-ground", x: left + COLUMN * first + 3, y: STATES_AT - 22, width: COLUMN * (last - first + 1) - 6, height: bottom - STATES_AT + 22, rx: 7 }),
  way(`M${at(0) - STATE - 17},${STATES_AT}H${at(0) - STATE - 2}`, head),
  ...states.slice(1).map((_, place) => way(`M${at(place) + STATE},${STATES_AT}H${at(place + 1) - STATE - 2}`, head)),
  way(backwards(at(last), at(first)), head, "back"),
  svg("text", { class: "back-label", x: (at(first) + at(last)) / 2, y: 12, "text-anchor": "middle" }, "repeats"),
  ...states.map((_, place) => svg("g", { class: "node" }, svg("circle", { cx: at(place), cy: STATES_AT, r: STATE }),
    svg("text", { x: at(place), y: STATES_AT + 4, "text-anchor": "middle" }, String(place + 1)))),
  ...atoms.flatMap((atom, row) => rowOf(atom, names[row], row, states, left, at)));
}

function way(d, head, kind = "") {
  return svg("path", { class: `arrow ${kind}`, d, "marker-end": `url(#${head})` });
}

/* From the top of the last state over all of the loop down to its first state. */
function backwards(from, to) {
  const top = STATES_AT - STATE;
  const high = top - 25;
  if (from === to) return `M${from + 6},${top + 2}C${from + 20},${high},${from - 20},${high},${from - 7},${top}`;
  return `M${from},${top}C${from},${high},${from - 14},${high},${from - 20},${high}H${to + 20}C${to + 14},${high},${to},${high},${to},${top - 2}`;
}

function rowOf(atom, name, row, states, left, at) {
  const y = STATES_AT + 42 + ATOM_ROW * row;
  const height = ATOM_ROW - 8;
  return [
    svg("text", { class: "atom", x: left - 12, y: y + 4, "text-anchor": "end" }, svg("title", {}, harmless(atom)), name),
    ...states.map((state, place) => {
      const holds = state.includes(atom);
      return svg("g", { class: holds ? "cell is-true" : "cell is-false" },
        svg("rect", { x: at(place) - 15, y: y - height / 2, width: 30, height, rx: 4 }),
        svg("text", { x: at(place), y: y + 4, "text-anchor": "middle" }, holds ? "T" : "F"));
    }),
  ];
}
