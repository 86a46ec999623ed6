/* Puts the page together. */

const TOO_OLD = "This browser cannot unpack the samples of this page: it has no DecompressionStream. "
  + "Use a browser from 2024 or later. The figures above are complete.";

const MOST_SEEDS = 5;

/* The sections by name. The hash belongs to the samples, so a section is scrolled to. */
function drawSections(sections) {
  byId("sections").append(...sections.map(({ id, name }) => element("a", {
    href: `#${id}`,
    on: {
      click: (event) => {
        event.preventDefault();
        const section = byId(id);
        section.scrollIntoView();
        section.focus({ preventScroll: true });
      },
    },
  }, name)));
}

function complain(words) {
  const notice = byId("unreadable");
  notice.textContent = words;
  notice.hidden = false;
  byId("filter").hidden = true;
}

function seeds(list) {
  return list.length === 0 ? "" : `; formulas drawn from seed ${list.slice(0, MOST_SEEDS).join(", ")}${list.length > MOST_SEEDS ? " …" : ""}`;
}

async function start() {
  const report = plain("overview");
  drawSections([...drawOverview(report), { id: "samples", name: "Samples" }]);
  byId("footer").append(element("p", {}, "Made by pytest-autoeval ", text(report.version),
    seeds(report.seeds), ". This page loads nothing and sends nothing."));
  for (const asked of report.asked) {
    byId("footer").append(element("p", {}, "Asked of ", text(asked), "."));
  }
  if (!canUnpack()) {
    complain(TOO_OLD);
    return;
  }
  const index = await unpacked("index");
  const { models, labels } = report.matrix;
  const browser = startBrowser(index, new Map(models.map((model, at) => [model, labels[at]])));
  await browser.ready;
  performance.mark("autoeval-ready");
  document.documentElement.dataset.ready = "true";
}

/* What can be called from outside, such as a console. */
globalThis.autoeval = { drawComparisons, drawConfusion, drawMatrix, drawReaders, drawSlices, drawTrends, drawWitness, percent };
start();
