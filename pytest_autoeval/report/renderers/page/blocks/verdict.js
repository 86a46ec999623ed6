/* A verdict: its sign, what was judged, and why. */

/* A sentence with its figures and foreign texts; a place without a value stays as it is. */
function sentence({ text: template, values = {} }) {
  return template.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined || !Object.hasOwn(values, name)) return harmless(part);
    return typeof values[name] === "string" ? text(values[name]) : harmless(figureText(values[name]));
  });
}

function drawVerdict(block) {
  return element("p", { class: "judged" }, verdictBadge(block.state), " ",
    block.what ? element("b", {}, `${harmless(block.what)}: `) : null, element("span", {}, sentence(block)));
}
