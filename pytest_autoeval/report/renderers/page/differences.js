/* A formula with the parts marked in which it differs from another one. */

/*
 * The text of a formula, with marks. `spans` are places in characters, as [start, end] in order; where they do not fit
 * the text, nothing is marked.
 */
function marked(value, spans) {
  const signs = [...String(value)];
  let from = 0;
  const fit = spans.every(([start, end]) => {
    const after = from;
    from = end;
    return after <= start && start < end && end <= signs.length;
  });
  if (!spans.length || !fit || signs.length > LONGEST_TEXT) return lines(value, { class: "formula" });
  const made = element("bdi", { class: "lines formula" });
  from = 0;
  for (const [start, end] of spans) {
    made.append(harmless(signs.slice(from, start).join("")), element("mark", {}, harmless(signs.slice(start, end).join(""))));
    from = end;
  }
  made.append(harmless(signs.slice(from).join("")));
  return made;
}

/* The formula that was read, below the one that was given. An answer that is nothing else is not shown again. */
function readFormula(row) {
  return [
    "Translation",
    [marked(row.translation, row.differences?.translation ?? []),
      row.differences && element("p", { class: "about" }, "Underlined: the parts that differ.")],
  ];
}
