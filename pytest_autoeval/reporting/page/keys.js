/* The keys of the page. None of them works while a text is typed, or together with Ctrl, Alt or the command key. */
(() => {
  "use strict";

  const { element } = autoeval;

  const KEYS = [
    ["/", "search the samples' text"],
    ["j k", "next and previous sample, in the list or opened"],
    ["↓ ↑", "the same within the list; Home, End, Page Up, Page Down go further"],
    ["Enter", "open the sample"],
    ["Esc", "close it"],
    ["Tab", "everything else, in order"],
    ["?", "this list"],
  ];

  function help() {
    const dialog = document.getElementById("help");
    dialog.replaceChildren(
      element("header", {}, element("h2", { id: "help-title" }, "Keys"),
        element("button", { type: "button", on: { click: () => dialog.close() } }, "Close ", element("kbd", {}, "Esc"))),
      element("dl", { class: "facts" }, KEYS.map(([keys, does]) => element("div", {},
        element("dt", {}, keys.split(" ").map((key) => element("kbd", {}, key))), element("dd", {}, does)))));
    if (!dialog.open) dialog.showModal();
  }

  function typing(target) {
    return target.closest("input, select, textarea") !== null;
  }

  /* Listens to the page's keys; `browser` is what startBrowser gave, or null where samples cannot be read. */
  function listenToKeys(browser) {
    document.getElementById("help-button").addEventListener("click", help);
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      const inHelp = document.getElementById("help").open;
      const inSample = document.getElementById("sample").open;
      const act = {
        "?": help,
        "/": browser && !inHelp && !inSample && (() => browser.search()),
        j: browser && !inHelp && (() => browser.step(1)),
        k: browser && !inHelp && (() => browser.step(-1)),
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  globalThis.autoeval = Object.assign(globalThis.autoeval, { listenToKeys });
})();
