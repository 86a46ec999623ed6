/* The smallest sample of a kind of failure: its texts, its witness drawn, and how to ask for it again. */

/* Texts in a formula's type: those that are formulas in the view of a sample, and the witness. */
function isFormal(name) {
  const whole = name.replace(/^(simpler|its) /, "");
  return whole === "witness" || STORY.some(([key, , type]) => key === whole && type === "formula");
}

function linkToSample({ suite, size, index, repeat = 0, paraphrase = 0 }, places) {
  const place = places[[suite, size, index, repeat, paraphrase].join("/")];
  return place === undefined ? null : element("p", {}, element("a", { href: hashOf({ outcome: "", sample: place + 1 }) }, "Open the sample"));
}

function drawCounterexample(block, { links }) {
  const row = { ...Object.fromEntries(block.fields.map(({ name, text: said }) => [name, said])), witness: block.witness ?? null, sides: block.sides };
  return folded([
    badge(KINDS["model failure"], text(block.outcome)), " ", element("span", { class: "reason" }, text(block.code)), " ",
    element("span", { class: "reason" }, count(block.samples, "sample")),
  ], (body) => {
    body.append(
      element("div", { class: "parts" },
        list(block.fields.map(({ name, text: said }) => [
          text(name), said.trim() ? lines(said, { class: isFormal(name) ? "formula" : "prose" }) : element("em", {}, "(empty)"),
        ]).concat([["shrunk", block.history ? element("span", {}, sentence({ text: block.history, values: block.values })) : null]]), { class: "story" }),
        witnessDrawing(row)),
      block.command ? command(block.command) : "", (block.sample && linkToSample(block.sample, links.places)) ?? "");
  }, { class: "line counterexample" });
}
