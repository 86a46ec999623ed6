/* What stands above the samples: the sections of the document, drawn block by block. It knows kinds of blocks alone. */

const BLOCKS = {
  verdict: drawVerdict, figures: drawFigures, table: drawTable, curve: drawCurve,
  counterexample: drawCounterexample, note: drawNote, command: drawCommand,
};
/* Sections on a suite that are open: the worst ones, which come first. */
const SUITES_OPEN = 1;

/* Fills an element with some blocks. What is only for readers who ask for more is closed. */
function drawBlocks(holder, blocks, where) {
  for (const block of blocks.filter(({ level }) => level !== "verbose")) {
    const part = element("div", { class: `block block-${block.block}` });
    holder.append(part);
    drawInto(part, () => part.append(BLOCKS[block.block](block, where)));
  }
  const more = blocks.filter(({ level }) => level === "verbose").map((block) => ({ ...block, level: "quiet" }));
  if (more.length) holder.append(folded(more.length === 1 && more[0].title ? text(more[0].title) : "More", (body) => drawBlocks(body, more, where)));
}

/* A link to the samples of a suite, or to those of one model. */
function linkToSamples(content, suite, model) {
  return element("a", { href: hashOf({ suite, ...(model ? { model } : {}), outcome: "" }), on: { click: () => byId("samples").scrollIntoView() } }, content);
}

/* Brings a section into sight, opened. */
function showSection(id) {
  const section = byId(id);
  section.hidden = false;
  if ("open" in section) section.open = true;
  section.scrollIntoView();
  (section.querySelector("summary") ?? section).focus({ preventScroll: true });
}

/* A section on one suite, as a line that opens: its state, its name, and its first verdict. */
function suiteSection(section, id, isOpen, where) {
  const [first] = section.blocks.filter(({ block }) => block === "verdict");
  const filter = where.links.suites[section.suite.number];
  const made = folded([
    section.state ? verdictBadge(section.state) : null, suiteName(section.title || section.suite.name),
    element("span", { class: "reason" }, first ? sentence(first) : ""),
  ], (body) => {
    if (filter) body.append(element("p", {}, linkToSamples("Show its samples", ...filter)));
    drawBlocks(body, section.blocks.filter((block) => block !== first), { ...where, model: section.suite.model });
    const example = body.querySelector("details.counterexample");
    if (example) example.open = true;
  }, { class: "line suite-section", id });
  made.open = isOpen;
  made.hidden = section.level === "verbose";
  return made;
}

const capitalised = (words_) => `${words_.slice(0, 1).toUpperCase()}${words_.slice(1)}`;

function plainSection(section, id, where) {
  const holder = element("section", { id, "aria-labelledby": section.title ? `${id}-title` : null, tabindex: "-1" },
    section.title ? element("h2", { id: `${id}-title` }, text(capitalised(section.title))) : null);
  byId("overview-sections").append(holder); // before it is filled: charts measure the room that they have
  if (section.level === "verbose") holder.append(folded("Show", (body) => drawBlocks(body, section.blocks, where)));
  else drawBlocks(holder, section.blocks, where);
  const example = holder.querySelector("details.counterexample");
  if (example) example.open = true;
  return holder;
}

/* The sections without the first verdict, which heads the page; those on suites that follow each other are one part. */
function partsOf({ sections }) {
  const first = sections.flatMap(({ blocks = [] }) => blocks).find(({ block }) => block === "verdict");
  const parts = [];
  for (const section of sections) {
    const shown = { level: "default", title: section === sections[0] ? "" : section.name, ...section, blocks: (section.blocks ?? []).filter((block) => block !== first) };
    if (!shown.blocks.length && !shown.suite) continue;
    if (shown.suite && parts.at(-1)?.suites) parts.at(-1).suites.push(shown);
    else parts.push(shown.suite ? { suites: [shown] } : { section: shown });
  }
  return parts;
}

/* Draws what stands above the samples, and gives the sections' identifiers and short names. */
function drawOverview({ document: report, links }) {
  const { sign, name } = VERDICTS[report.state] ?? VERDICTS["no gate"];
  byId("headline").classList.add(`tone-${name}`);
  byId("headline").classList.toggle("long", byId("headline").textContent.length > 60);
  if (report.state !== "no gate") byId("headline").dataset.mark = sign;
  const blocks = report.sections.flatMap((section) => section.blocks ?? []);
  const groups = blocks.flatMap(({ columns = [], series = [] }) => [...columns.map(({ group }) => group), ...series.map((one) => one.name)]);
  const keyOf = (section) => (links.suites[section.suite.number] ?? [section.suite.name, section.suite.model]).join("\n");
  const ids = new Map(report.sections.filter(({ suite }) => suite).map((section) => [keyOf(section), freshId("suite")]));
  // By name, as in the files of --autoeval-plots: the order of the models changes from run to run.
  const where = { links, looks: seriesOf([...new Set(groups.filter(Boolean))].sort()), sectionOf: (...names) => ids.get(names.join("\n")) };
  const contents = [];
  for (const { section, suites } of partsOf(report)) {
    const id = freshId("section");
    if (section) plainSection(section, id, where);
    else {
      const lines = suites.map((one, place) => suiteSection(one, ids.get(keyOf(one)), place < SUITES_OPEN && one.level !== "verbose", where));
      byId("overview-sections").append(element("section", { id, tabindex: "-1" }, element("h2", {}, "Suite by suite"), element("div", { class: "suite-sections" }, lines), showMore(lines, "suite")));
    }
    const short = section ? section.title && capitalised(section.name) : "Suite by suite";
    // Sections of one name follow each other: the contents lead to the first of them.
    if (short && contents.at(-1)?.name !== harmless(short)) contents.push({ id, name: harmless(short) });
  }
  return contents;
}
