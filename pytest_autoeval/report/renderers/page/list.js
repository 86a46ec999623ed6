/*
 * The list of samples: a page at a time, made from the index alone. One sample of the page is reached by Tab, the others
 * by the arrow keys or j and k, past the ends of the page too.
 */

const ON_A_PAGE = 20;

/* What the samples are known by: their formulas, or the sentences of an author. */
function headingOfList(index) {
  if (!index.name) return "Formula";
  return index.name.every(Boolean) ? "Sentence, and its formula" : "Formula, or sentence with its formula";
}

/* The columns, each with what it shows of a sample. What is the same of all samples needs none. */
function columnsOf(index, labels, link) {
  const outcome = (place) => index.outcomes[index.outcome[place]];
  const briefModel = (name) => text(labels.get(name) ?? name, { title: harmless(name) });
  return [
    { name: "#", kind: "place", cell: (place) => number(place + 1) },
    { name: "Outcome", kind: "outcome", cell: (place) => outcomeBadge(outcome(place).name, outcome(place).kind) },
    { name: "Size", kind: "size", cell: (place) => number(index.size[place]) },
    { name: headingOfList(index), kind: "title", cell: link },
    index.suites.length > 1 && { name: "Suite", kind: "suite-cell", cell: (place) => briefSuite(index.suites[index.suite[place]]) },
    index.models.length > 1 && { name: "Model", kind: "model-cell", cell: (place) => briefModel(index.models[index.model[place]]) },
  ].filter(Boolean);
}

/*
 * The list in `holder`, with its pages in `pager`. `open(place)` opens a sample, `address(place)` is where it is found,
 * `turned(page)` is told when another page is shown, `labels` are those of the models.
 */
function sampleList({ index, labels, holder, pager, open, address, turned }) {
  let found = [];
  let page = 0;
  let current = 0; // the position within `found` that Tab leads to

  const pages = () => Math.max(1, Math.ceil(found.length / ON_A_PAGE));

  const columns = columnsOf(index, labels, (place, position) => [
    element("a", { href: address(place), tabindex: position === current ? "0" : "-1" }, text(index.text[place] || "(empty)", { class: index.name?.[place] ? "prose" : "formula" })),
    index.repeat[place] ? element("span", { class: "repeat" }, ` repeat ${index.repeat[place] + 1}`) : null,
    index.read?.[place] ? element("div", { class: "read" }, text(index.read[place], { class: "formula" })) : null,
  ]);

  function line(position) {
    return element("tr", { role: "row", "data-position": position },
      columns.map(({ kind, cell }) => element("td", { role: "cell", class: kind }, cell(found[position], position))));
  }

  function drawPager() {
    if (pages() < 2) return pager.replaceChildren();
    const turn = (name, to) => element("button", { type: "button", disabled: to < 0 || to >= pages(), on: { click: () => go(to) } }, name);
    const first = page * ON_A_PAGE + 1;
    const last = Math.min(found.length, first + ON_A_PAGE - 1);
    return pager.replaceChildren(turn("First", page ? 0 : -1), turn("Previous", page - 1),
      element("span", {}, `${number(first)}–${number(last)} of ${number(found.length)}`),
      turn("Next", page + 1), turn("Last", page < pages() - 1 ? pages() - 1 : pages()));
  }

  function draw() {
    if (!found.length) {
      holder.replaceChildren(element("p", { class: "nothing" }, "No sample matches the filter."));
      return drawPager();
    }
    const start = page * ON_A_PAGE;
    const positions = found.slice(start, start + ON_A_PAGE).map((_, at) => start + at);
    holder.replaceChildren(element("table", { class: "samples", role: "table", "aria-rowcount": found.length + 1 },
      element("caption", { class: "unseen" }, "Samples that match the filter"),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
        columns.map(({ name, kind }) => element("th", { role: "columnheader", scope: "col", class: kind }, name)))),
      element("tbody", { role: "rowgroup" }, positions.map(line))));
    return drawPager();
  }

  /* Shows a page of the list; its first sample becomes the one that Tab leads to. */
  function go(to) {
    page = Math.min(Math.max(0, to), pages() - 1);
    current = page * ON_A_PAGE;
    draw();
    turned(page);
  }

  const linkAt = (position) => holder.querySelector(`[data-position="${position}"] a`);

  /* Makes a sample the current one and, if it is told to, gives it the focus. */
  function move(position, focus = true) {
    if (!found.length) return;
    const wanted = Math.min(Math.max(0, position), found.length - 1);
    if (Math.floor(wanted / ON_A_PAGE) !== page) go(Math.floor(wanted / ON_A_PAGE));
    linkAt(current)?.setAttribute("tabindex", "-1");
    current = wanted;
    linkAt(current).setAttribute("tabindex", "0");
    if (focus) linkAt(current).focus();
  }

  holder.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-position]");
    const wantsOwn = event.ctrlKey || event.metaKey || event.shiftKey || !getSelection().isCollapsed;
    if (!row || wantsOwn) return;
    event.preventDefault();
    move(Number(row.dataset.position));
    open(found[current]);
  });

  holder.addEventListener("keydown", (event) => {
    const to = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + 10, PageUp: current - 10, Home: 0, End: found.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey || !event.target.closest("tr[data-position]")) return;
    event.preventDefault();
    move(to);
  });

  return {
    /* Shows what a filter found, from the given page on. */
    show(places, at = 0) {
      found = places;
      go(at);
    },
    step(by) {
      move(holder.contains(document.activeElement) ? current + by : current);
    },
    /* Makes the sample of that place the current one, if it is in the list. */
    select(place, focus = false) {
      const position = found.indexOf(place);
      if (position >= 0) move(position, focus);
    },
    /* The places before and after the sample in the list, null where there is none. */
    around(place) {
      const position = found.indexOf(place);
      return { before: found[position - 1] ?? null, after: position < 0 ? null : found[position + 1] ?? null };
    },
  };
}
