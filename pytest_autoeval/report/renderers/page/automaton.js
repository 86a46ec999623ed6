/* The automaton of a regular expression, laid out by dagre, with the run of a string. */

const NODE = 17;
const LOOP = 40;
const LONGEST_LABEL = 14;
const SMALLEST = 0.7;

/* The symbols of an edge: commas stand between them, a backslash before a symbol that is a comma or a backslash. */
function symbolsOf(label) {
  return [...label.matchAll(/\\(.)|([^,\\])/gsu)].map((match) => match[1] ?? match[2]);
}

/* The symbols as a person reads them: runs of neighbours put together. */
function labelled(symbols) {
  const runs = [];
  for (const symbol of symbols) {
    const run = runs.at(-1);
    const code = symbol.codePointAt(0);
    if (run && code === run.last + 1) run.last = code;
    else runs.push({ first: code, last: code });
  }
  const parts = runs.flatMap(({ first, last }) => {
    const [from, to] = [first, last].map((code) => harmless(String.fromCodePoint(code)));
    if (last - first >= 2) return [`${from}–${to}`];
    return first === last ? [from] : [from, to];
  });
  const text = parts.join(", ");
  if (text.length <= LONGEST_LABEL) return text;
  let shown = parts[0];
  for (const part of parts.slice(1)) {
    if (`${shown}, ${part}`.length >= LONGEST_LABEL) break;
    shown += `, ${part}`;
  }
  return `${shown}, …`;
}

/* The states that a string leads through; the run is `stuck` at the first symbol that has no edge. */
function runOf(automaton, text) {
  const states = [automaton.start];
  const edges = new Set();
  for (const symbol of text) {
    const place = automaton.edges.findIndex(([from, label]) => from === states.at(-1) && symbolsOf(label).includes(symbol));
    if (place < 0) return { states, edges, stuck: symbol, accepted: false };
    edges.add(place);
    states.push(automaton.edges[place][2]);
  }
  return { states, edges, stuck: null, accepted: automaton.accepting.includes(states.at(-1)) };
}

/* One automaton with the run of a text highlighted, and the run in words. */
function automatonWithRun(automaton, text, name) {
  const run = runOf(automaton, text);
  return element("div", { class: "automaton" }, scrolled(name, diagram(automaton, run, name)), element("p", { class: "run" }, ...spelledRun(run, text)));
}

function spelledRun({ states, stuck, accepted }, text) {
  const symbols = [...text].slice(0, states.length - 1);
  const steps = states.flatMap((state, place) => [
    place ? element("span", { class: "step" }, ` –${harmless(symbols[place - 1])}→ `) : "", element("b", {}, String(state))]);
  const end = stuck !== null
    ? [", stuck: no edge for ", element("b", {}, harmless(stuck))]
    : [accepted ? ", an accepting state" : ", not an accepting state"];
  return [text === "" ? "run of ε: stays in " : "run: ", ...steps, ...end];
}

function diagram(automaton, run, name) {
  const { nodes, edges, width, height } = laidOut(automaton);
  const [plain, walked] = [freshId("arrowhead"), freshId("arrowhead")];
  const visited = new Set(run.states);
  const on = (isOn) => (isOn ? " walked" : "");
  const heads = [arrowhead(plain), arrowhead(walked)];
  heads[1].firstChild.classList.add("walked");
  const last = run.states.at(-1);
  const drawing = svg("svg", {
    class: "diagram", role: "img", width, height, viewBox: `0 0 ${width} ${height}`, "aria-label": described(automaton, name),
  },
  ...heads,
  ...edges.map((edge, place) => svg("path", {
    class: `arrow${on(run.edges.has(place))}`, d: edge.path, "marker-end": `url(#${run.edges.has(place) ? walked : plain})`,
  })),
  svg("path", { class: "arrow walked start", d: `M${nodes.get(automaton.start).x - NODE - 22},${nodes.get(automaton.start).y}h19`, "marker-end": `url(#${walked})` }),
  ...edges.flatMap((edge, place) => labelOf(edge, on(run.edges.has(place)))),
  ...[...nodes].map(([state, { x, y }]) => svg("g", {
    class: `node${on(visited.has(state))}${state === last ? ` tone-${run.accepted ? "good" : "bad"}` : ""}`, transform: `translate(${x},${y})`,
  },
  svg("circle", { r: NODE }),
  ...(automaton.accepting.includes(state) ? [svg("circle", { class: "accepting", r: NODE - 4 })] : []),
  svg("text", { y: 4.5, "text-anchor": "middle" }, String(state)))));
  // Where it does not fit it shrinks a little, and is moved sideways from there on.
  drawing.style.minWidth = `${Math.round(SMALLEST * width)}px`;
  return drawing;
}

/* The label of an edge on a ground of its own, so that the edge does not strike it through. */
function labelOf({ label, at }, walked) {
  const half = 4 * label.length + 2;
  return [
    svg("rect", { class: "clearing", x: at.x - half, y: at.y - 8, width: 2 * half, height: 15 }),
    svg("text", { class: `edge-label${walked}`, x: at.x, y: at.y + 4.5, "text-anchor": "middle" }, label),
  ];
}

function described({ start, accepting, edges }, name) {
  const listed = edges.map(([from, label, to]) => `from ${from} with ${harmless(symbolsOf(label).join(" "))} to ${to}`).join(", ");
  return `${name}. Starts in ${start}, accepts in ${accepting.join(", ") || "no state"}. ${listed ? `Edges: ${listed}.` : "No edges."}`;
}

function laidOut({ start, accepting, edges }) {
  const states = [...new Set([start, ...accepting, ...edges.flatMap(([from, , to]) => [from, to])])].sort((a, b) => a - b);
  const looped = new Set(edges.filter(([from, , to]) => from === to).map(([from]) => from));
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 26, ranksep: 26, edgesep: 18, marginx: 6, marginy: 6 });
  graph.setDefaultEdgeLabel(() => ({}));
  // The loop above a state needs room there, and the state has to stay in the middle of its own room.
  for (const state of states) graph.setNode(String(state), { width: 2 * NODE + 4, height: 2 * NODE + 4 + (looped.has(state) ? 2 * LOOP : 0) });
  for (const [from, label, to] of edges) {
    if (from !== to) graph.setEdge(String(from), String(to), { width: 10 + 7.5 * labelled(symbolsOf(label)).length, height: 18, labelpos: "c" });
  }
  dagre.layout(graph);
  return trimmed(states, edges, graph);
}

/* What dagre laid out, without the room below that only balances that for the loops above, and with the start's arrow. */
function trimmed(states, edges, graph) {
  const nodes = new Map(states.map((state) => [state, graph.node(String(state))]));
  const drawn = edges.map(([from, label, to]) => {
    const text = labelled(symbolsOf(label));
    return from === to ? ownLoop(nodes.get(from), text) : between(nodes.get(from), nodes.get(to), graph.edge(String(from), String(to)), text);
  });
  const ys = [
    ...[...nodes.values()].flatMap(({ y }) => [y - NODE, y + NODE]),
    ...drawn.flatMap(({ ys: its, at }) => [...its, at.y - 11, at.y + 9]),
  ];
  const xs = [...[...nodes.values()].flatMap(({ x }) => [x - NODE - 24, x + NODE]), ...drawn.flatMap(({ xs: its }) => its)];
  const [left, top] = [Math.min(...xs) - 3, Math.min(...ys) - 3];
  const moved = ({ x, y }) => ({ x: rounded(x - left), y: rounded(y - top) });
  return {
    nodes: new Map([...nodes].map(([state, place]) => [state, moved(place)])),
    edges: drawn.map(({ at, label, curve }) => ({ label, at: moved(at), path: curve((place) => moved(place)) })),
    width: Math.ceil(Math.max(...xs) - left + 4),
    height: Math.ceil(Math.max(...ys) - top + 4),
  };
}

const smooth = d3.line(({ x }) => x, ({ y }) => y).curve(d3.curveBasis);

function between(from, to, { points, x, y }, label) {
  const inner = points.slice(1, -1);
  const way = [onRim(from, inner[0] ?? to, NODE), ...inner, onRim(to, inner.at(-1) ?? from, NODE + 2)];
  return { label, at: { x, y }, xs: way.map((point) => point.x), ys: way.map((point) => point.y), curve: (move) => smooth(way.map(move)) };
}

function onRim(node, towards, reach) {
  const angle = Math.atan2(towards.y - node.y, towards.x - node.x);
  return { x: node.x + reach * Math.cos(angle), y: node.y + reach * Math.sin(angle) };
}

function ownLoop({ x, y }, label) {
  const curve = (move) => {
    const [start, left, right, end] = [
      { x: x + 8, y: y - NODE + 2 }, { x: x + 22, y: y - NODE - 28 }, { x: x - 22, y: y - NODE - 28 }, { x: x - 8.5, y: y - NODE },
    ].map(move);
    return `M${start.x},${start.y}C${left.x},${left.y},${right.x},${right.y},${end.x},${end.y}`;
  };
  const at = { x, y: y - NODE - 33 };
  const half = 4 * label.length;
  return { label, at, xs: [x - half, x + half], ys: [at.y - 4], curve };
}
