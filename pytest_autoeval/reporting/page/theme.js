/* Light, dark, or as the system has it. */
(() => {
  "use strict";

  const ORDER = ["auto", "light", "dark"];
  const KEY = "pytest-autoeval theme";

  /* Storage may be forbidden to a page that was opened from a file: then the choice lasts as long as the page. */
  function remembered() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function remember(theme) {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // see above
    }
  }

  /* Makes a button of the element, which goes through the themes. */
  function themeButton(button) {
    let theme = ORDER.includes(remembered()) ? remembered() : "auto";
    const show = () => {
      if (theme === "auto") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = theme;
      button.textContent = `Theme: ${theme}`;
    };
    button.addEventListener("click", () => {
      theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
      remember(theme);
      show();
    });
    show();
  }

  globalThis.autoeval = Object.assign(globalThis.autoeval, { themeButton });
})();
