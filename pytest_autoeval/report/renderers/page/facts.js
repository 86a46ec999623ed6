/* What the page's tables and lists are made of. */

/* How an outcome counts: a sign that is told apart without colour, and the class that colours it. */
const KINDS = {
  pass: { sign: "✓", name: "good" },
  "model failure": { sign: "✗", name: "bad" },
  undecided: { sign: "?", name: "undecided" },
  error: { sign: "!", name: "warn" },
};
/* The worst first. */
const VERDICTS = {
  failed: { sign: "✗", name: "bad" },
  interrupted: { sign: "!", name: "warn" },
  inconclusive: { sign: "?", name: "undecided" },
  passed: { sign: "✓", name: "good" },
  "not judged alone": { sign: "·", name: "muted" },
  "no gate": { sign: "·", name: "muted" },
};

/* Words behind a sign, in the colour of the name. */
function badge({ sign, name }, words) {
  return element("span", { class: `badge tone-${name}` }, element("span", { class: "mark", "aria-hidden": "true" }, sign), element("span", { class: "word" }, words));
}

function outcomeBadge(name, kind) {
  return badge(KINDS[kind] ?? KINDS.error, text(name));
}

function verdictBadge(verdict) {
  return badge(VERDICTS[verdict] ?? VERDICTS["no gate"], verdict);
}

/* The letters of a name that is never broken, such as an id. */
const BRIEF = 16;

/* A suite's name: the function first, its file beneath. */
function suiteName(name) {
  const [file, ...rest] = name.split("::");
  // A short id needs no more room than its letters, and is not broken.
  if (!rest.length) return text(name, { class: name.length > BRIEF ? "suite" : "suite brief" });
  return element("span", { class: "suite" },
    text(rest.join("::"), { class: "function" }), " ", text(file, { class: "file" }));
}

/* A suite's name on one line, without folders. */
function briefSuite(name) {
  const [file, ...rest] = name.split("::");
  return text([file.split("/").at(-1), ...rest].join("::"), { title: harmless(name) });
}

/* A box that is scrolled sideways where its content does not fit, by finger or by keys. */
function scrolled(label, ...children) {
  return element("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": label }, ...children);
}

/*
 * A table; the first cell of a row heads it. A header is a text, a node, or {name} of a column of numbers. On a phone a
 * table of the class "rows" becomes lines: the roles say that it still is a table.
 */
function table(headers, rows, { caption = null, ...attributes } = {}) {
  const kind = (place) => (headers[place].name ? "number" : null);
  const made = element("table", { role: "table", ...attributes },
    caption && element("caption", { class: "unseen" }, caption),
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, headers.map((header, place) => (
      element("th", { role: "columnheader", scope: "col", class: kind(place) }, header.name ?? header))))),
    element("tbody", { role: "rowgroup" }, rows.map((row) => element("tr", { role: "row" }, row.map((cell, place) => (
      place ? element("td", { role: "cell", class: kind(place) }, cell) : element("th", { role: "rowheader", scope: "row" }, cell)))))));
  return caption ? scrolled(caption, made) : made;
}

/* A box that is opened and closed; `fill(body)` makes its content when it is opened for the first time. */
function folded(summary, fill, attributes = {}) {
  const body = element("div", { class: "folded" });
  const details = element("details", attributes, element("summary", {}, summary), body);
  details.addEventListener("toggle", () => {
    if (details.open && !body.hasChildNodes()) drawInto(body, fill);
  });
  return details;
}

/* A button that shows those of some elements that are hidden; null where none is. */
function showMore(elements_, thing) {
  const hidden = elements_.filter((one) => one.hidden);
  if (!hidden.length) return null;
  const button = element("button", { type: "button" }, harmless(`Show ${count(hidden.length, `more ${thing}`)}`));
  button.addEventListener("click", () => {
    for (const one of hidden) one.hidden = false;
    button.remove();
  });
  return button;
}

/* Names and what they say; pairs whose second part is null are left out. */
function list(pairs, attributes = {}) {
  const told = pairs.filter(([, said]) => said !== null && said !== undefined);
  return element("dl", attributes, told.map(([name, said]) => (
    element("div", {}, element("dt", {}, name), element("dd", {}, said)))));
}

/* The entries of a list, a line each, behind their numbers. */
function numbered(entries) {
  return entries.map((entry, at) => `${at + 1}. ${entry}`).join("\n");
}

/* An answer in words: of a ranking its numbers, or those that belong first and those that belong last. */
function answer(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  if (value.length === 2 && value.every((end) => Array.isArray(end) && end.every(Number.isInteger))) {
    return `${value[0].join(" and ")} first, ${value[1].join(" and ")} last`;
  }
  return value.every(Number.isInteger) ? value.join(", ") : null;
}

/* A command, with a button that copies it; one with harmful signs is only shown. */
function command(words) {
  const shown = element("code", {}, text(words));
  if (harmless(words) !== words) return element("div", { class: "command" }, shown);
  const copy = element("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(words);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      copy.textContent = "Selected";
    }
  });
  return element("div", { class: "command" }, shown, copy);
}

/* Has a drawing made in its holder. One that fails takes its own place only; the console shows the error. */
function drawInto(holder, draw, data) {
  try {
    draw(holder, data);
  } catch (error) {
    console.error(error);
    holder.replaceChildren(element("p", { class: "about" }, "This could not be drawn."));
  }
}
