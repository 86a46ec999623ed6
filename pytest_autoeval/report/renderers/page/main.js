/* Puts the page together. */

const TOO_OLD = "This browser cannot unpack the samples of this page: it has no DecompressionStream. "
  + "Use a browser from 2024 or later. The figures above are complete.";

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

/* A page on a set of rules alone has no samples. */
function leaveOutSamples() {
  byId("samples").hidden = true;
  for (const link of document.querySelectorAll('a[href="#samples"]')) link.remove();
}

async function start() {
  const report = plain("overview");
  drawSections([...drawOverview(report), { id: "samples", name: "Samples" }]);
  const { release, created } = report.document;
  byId("footer").append(element("p", {}, "Made by pytest-autoeval ", text(release), created ? [", ", text(created)] : null,
    ". This page loads nothing and sends nothing."));
  if (!canUnpack()) {
    complain(TOO_OLD);
    return;
  }
  const index = await unpacked("index");
  if (!index.count) leaveOutSamples();
  const browser = startBrowser(index, labelsOf(index.models).of);
  await browser.ready;
  performance.mark("autoeval-ready");
  document.documentElement.dataset.ready = "true";
}

/* What can be called from outside, such as a console. */
globalThis.autoeval = { drawWitness, figureText, headingText };
start();
