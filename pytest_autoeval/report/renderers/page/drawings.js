/* The witness of a sample, drawn: what the two formulas differ on, and which of them holds there. */

/* What the two sides of a row's witness are called (`record/witness_words.py`), and their texts. */
function sidesOf(row) {
  const [first, second] = row.sides ?? ["given", "model's"];
  const given = known(row.formalization) ? row.formalization : row.formula;
  /* A test may compare other formulas than the sample's and the model's. The witness is about those. */
  return [{ name: first, text: row.compared_with ?? given }, { name: second, text: row.compared ?? row.other ?? row.translation }];
}

/*
 * Fills an element with the witness of a results row, and with the trace that the row is about; leaves it empty where
 * the row has neither.
 */
function drawWitness(target, row) {
  target.replaceChildren();
  const { witness } = row;
  const draw = witness && Object.hasOwn(DRAWINGS, witness.kind) ? DRAWINGS[witness.kind] : null;
  if (draw) target.append(figure(`witness-${witness.kind.replaceAll(" ", "-")}`, draw(witness, sidesOf(row))));
  if (row.drawing) target.append(figure("witness-own", ownDrawing(row.drawing)));
  const trace = typeof row.trace === "string" ? parsedTrace(row.trace) : null;
  if (trace) target.append(figure("witness-trace", [element("figcaption", {}, "The trace of this sample"), lasso(trace)]));
  if (target.childElementCount) target.classList.add("drawing");
}

/* The drawing of a language of the user's own, as an image: nothing in it runs or is loaded. */
function ownDrawing(drawing) {
  if (drawing.problem) return [element("figcaption", {}, harmless(drawing.problem))];
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing.svg)}`;
  return [element("figcaption", {}, "A case in which the two differ"), element("img", { src: address, alt: "the witness, drawn" })];
}

/* The same in an element of its own; null where there is nothing to draw. */
function witnessDrawing(row) {
  const holder = element("div");
  drawInto(holder, drawWitness, row);
  return holder.hasChildNodes() ? holder : null;
}

function figure(kind, content) {
  return element("figure", { class: `witness-drawing ${kind}` }, content);
}

/* Both formulas, each with its value. */
function valuesOf(sides, witness, shown = writtenFormula) {
  const values = [witness.left, witness.right];
  return table(["", "formula", "value"], sides.map((side, place) => [side.name, shown(side, values[place]), truth(values[place])]), { class: "sides" });
}

function writtenFormula(side) {
  return text(side.text ?? "–", { class: "formula" });
}

function valued(value) {
  return typeof value === "boolean" ? truth(value) : harmless(String(value));
}

function assignment(witness, sides) {
  const names = Object.keys(witness.values).sort(new Intl.Collator("en", { numeric: true }).compare);
  const shown = (side, value) => formulaValues(side.text ?? "", witness.values, value) ?? writtenFormula(side);
  return [
    element("figcaption", {}, "An assignment under which the two differ"),
    names.length
      ? scrolled("assignment", element("table", { class: "truths assignment" },
        element("thead", {}, element("tr", {}, names.map((name) => element("th", { scope: "col" }, element("bdi", { class: "name" }, harmless(name)))))),
        element("tbody", {}, element("tr", {}, names.map((name) => element("td", {}, valued(witness.values[name])))))))
      : element("p", {}, "The two differ under every assignment."),
    valuesOf(sides, witness, shown),
  ];
}

function model(witness, sides) {
  const elements = witness.domain.length;
  return [
    element("figcaption", {}, `A model of ${elements === 1 ? "one element" : `${elements} elements`} in which the two differ`),
    valuesOf(sides, witness), finiteModel(witness),
  ];
}

function trace(witness, sides) {
  return [element("figcaption", {}, "A trace on which the two differ"), valuesOf(sides, witness), lasso(witness)];
}

function string(witness, sides) {
  const told = witness.text === "" ? "ε" : harmless(witness.text);
  const automata = [witness.automata?.first, witness.automata?.second];
  const panels = sides.map((side, place) => {
    const accepts = (witness.accepted_by === "first") === (place === 0);
    return element("section", { class: "side" },
      element("h4", {}, side.name, " ", writtenFormula(side),
        element("span", { class: `verdict tone-${accepts ? "good" : "bad"}` }, accepts ? "✓ accepts " : "✗ does not accept ", element("bdi", { class: "name" }, told))),
      automata[place]
        ? automatonWithRun(automata[place], witness.text, `minimal automaton, ${side.name}`)
        : element("p", { class: "not-drawn" }, "Its minimal automaton is not drawn: it has too many states, or depends on the alphabet."));
  });
  return [
    element("figcaption", {}, "A shortest string that one accepts and the other does not: ", element("bdi", { class: "name string" }, told),
      witness.text === "" ? " (the empty string)" : null),
    element("div", { class: "automata" }, panels),
  ];
}

function symbol(witness, sides) {
  const signs = [witness.left, witness.right];
  return [
    element("figcaption", {}, `The two differ first in their symbol number ${witness.place + 1}`),
    table(["", "text", "symbol"], sides.map((side, place) => [
      side.name, writtenFormula(side), signs[place] === "" ? "none: it has ended" : element("bdi", { class: "name" }, harmless(signs[place]))]), { class: "sides" }),
  ];
}

const DRAWINGS = { "assignment": assignment, "finite model": model, "trace": trace, "string": string, "symbol": symbol };
