/* Puts the page together. */
(() => {
  "use strict";

  const { element, text } = autoeval;

  const TOO_OLD = "This browser cannot unpack the samples that the page carries (it has no DecompressionStream). "
    + "Open the page in a browser from 2023 or later: Chrome or Edge 80, Firefox 113, Safari 16.4. The figures above are complete.";

  const MOST_SEEDS = 5;

  /* The sections by name. The address stays the samples' own, so a section is gone to, not linked to. */
  function drawSections(sections) {
    document.getElementById("sections").append(...sections.map(({ id, name }) => element("a", {
      href: `#${id}`,
      on: {
        click: (event) => {
          event.preventDefault();
          const section = document.getElementById(id);
          section.scrollIntoView();
          section.focus({ preventScroll: true });
        },
      },
    }, name)));
  }

  function complain(words) {
    const notice = document.getElementById("unreadable");
    notice.textContent = words;
    notice.hidden = false;
    document.getElementById("filter").hidden = true;
  }

  function seeds(list) {
    return list.length === 0 ? "" : `, from formulas of seed ${list.slice(0, MOST_SEEDS).join(", ")}${list.length > MOST_SEEDS ? " …" : ""}`;
  }

  async function start() {
    autoeval.themeButton(document.getElementById("theme"));
    const report = autoeval.plain("overview");
    drawSections([...autoeval.drawOverview(report), { id: "samples", name: "Samples" }]);
    document.getElementById("footer").append(element("p", {}, "Made by pytest-autoeval ", text(report.version),
      seeds(report.seeds), ". The page is complete in itself: it loads nothing, and sends nothing."));
    if (!autoeval.canUnpack()) {
      complain(TOO_OLD);
      autoeval.listenToKeys(null);
      return;
    }
    const index = await autoeval.unpacked("index");
    const browser = autoeval.startBrowser(index);
    autoeval.listenToKeys(browser);
    await browser.ready;
    performance.mark("autoeval-ready");
    document.documentElement.dataset.ready = "true";
  }

  start();
})();
