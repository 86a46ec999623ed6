/* What the page's tables and lists are made of. */
(() => {
  "use strict";

  const { element, text } = autoeval;

  /* How an outcome counts: a sign that is told apart without colour, and the class that colours it. */
  const KINDS = {
    pass: { sign: "✓", name: "good", word: "passed" },
    "model failure": { sign: "✗", name: "bad", word: "failed" },
    undecided: { sign: "?", name: "undecided", word: "undecided" },
    error: { sign: "!", name: "warn", word: "error" },
  };
  const VERDICTS = {
    passed: { sign: "✓", name: "good" },
    failed: { sign: "✗", name: "bad" },
    inconclusive: { sign: "?", name: "undecided" },
    reported: { sign: "·", name: "muted" },
    interrupted: { sign: "!", name: "warn" },
  };

  /* Words behind a sign, in the colour of the name. */
  function badge({ sign, name }, words) {
    return element("span", { class: `badge ${name}` }, element("span", { class: "mark", "aria-hidden": "true" }, sign), words);
  }

  /* An outcome, by name and by how it counts. */
  function outcomeBadge(name, kind) {
    return badge(KINDS[kind] ?? KINDS.error, text(name));
  }

  function verdictBadge(verdict) {
    return badge(VERDICTS[verdict] ?? VERDICTS.reported, verdict);
  }

  /* A suite's name, of which the last part is what tells it apart. It may be broken at its separators. */
  function suiteName(name) {
    const [file, ...rest] = name.split("::");
    if (!rest.length) return text(name, { class: "suite" });
    return element("span", { class: "suite" },
      text(rest.join("::"), { class: "function" }), " ", text(file, { class: "file" }));
  }

  /* A suite's name on one line, without the folders that its file is in. */
  function briefSuite(name) {
    const [file, ...rest] = name.split("::");
    return text([file.split("/").at(-1), ...rest].join("::"), { title: autoeval.harmless(name) });
  }

  /*
   * A table. Columns are {name, number: true for what is aligned as numbers}; a cell is text, a node, or a list of them.
   * It may scroll sideways in its own box, which is then reached by Tab. On a phone a row becomes a list of names and
   * cells; the roles say that it still is a table.
   */
  function table(caption, columns, rows) {
    const head = columns.map(({ name, number }) => element("th", { role: "columnheader", scope: "col", class: number && "number" }, name));
    const body = rows.map((cells) => element("tr", { role: "row" }, cells.map((cell, at) => (
      element("td", { role: "cell", class: columns[at].number && "number", "data-name": columns[at].name }, element("div", {}, cell))))));
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      element("table", { class: "stacked", role: "table" },
        element("caption", { class: "unseen" }, caption),
        element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, head)),
        element("tbody", { role: "rowgroup" }, body)));
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
    if (autoeval.harmless(words) !== words) return element("div", { class: "command" }, shown);
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

  /* Has a drawing made in its holder. One that fails takes its own place only, and is told to the console. */
  function drawInto(holder, draw, data) {
    try {
      draw(holder, data);
    } catch (error) {
      console.error(error);
      holder.replaceChildren(element("p", { class: "about" }, "This could not be drawn."));
    }
  }

  globalThis.autoeval = Object.assign(globalThis.autoeval, { answer, numbered, badge, briefSuite, command, drawInto, list, outcomeBadge, suiteName, table, verdictBadge });
})();
