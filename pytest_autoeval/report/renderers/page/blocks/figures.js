/* Named numbers. A rate has a bar, with its interval as a thin line. */

const inBar = (rate) => `${(100 * Math.min(1, Math.max(0, rate))).toFixed(3)}%`;

/* A rate as a bar with its interval as a whisker. */
function rateBar({ value, low, high, upper }, look = null) {
  const ends = exists(low) && exists(high) ? [low, high] : [];
  return element("div", { class: "bar" }, svg("svg", { "aria-hidden": "true" },
    svg("rect", { class: "track", width: "100%", height: "100%" }),
    exists(upper) ? svg("rect", { class: `share open ${look?.class ?? ""}`, width: inBar(upper), height: "100%" }) : "",
    svg("rect", { class: `share ${look?.class ?? ""}`, width: inBar(value), height: "100%" }),
    ends.length ? svg("line", { class: "interval", x1: inBar(low), x2: inBar(high), y1: "50%", y2: "50%" }) : "",
    ...ends.map((end) => svg("line", { class: "interval", x1: inBar(end), x2: inBar(end), y1: "20%", y2: "80%" }))));
}

/* The value of a figure, its interval, and of how many it is. */
function shownFigure(figure, { isMeasured = true, look = null, hasBar = true } = {}) {
  const [value, interval] = figureParts(figure, isMeasured).map(harmless);
  const isRate = hasBar && figure.unit === "rate" && typeof figure.value === "number";
  const isKnown = exists(figure.value) && figure.bound !== "not known";
  const about = [headingText(figure), exists(figure.n) && `of ${number(figure.n)}`];
  return element("div", { class: isRate ? "shown rate" : "shown", title: harmless(about.filter(Boolean).join(", ")) },
    isRate ? rateBar(figure, look) : null,
    element("span", {}, element(isKnown ? "b" : "span", {}, value), interval ? element("span", { class: "reason" }, interval) : null));
}

function drawFigures({ figures, title }) {
  return element("div", {}, title ? element("h4", {}, text(title)) : null,
    element("dl", { class: "figures" }, figures.map((figure) => element("div", {},
      element("dt", {}, text(headingText(figure))),
      element("dd", {}, shownFigure(figure, { hasBar: exists(figure.low) }), exists(figure.n) ? element("span", { class: "reason" }, `of ${number(figure.n)}`) : null)))));
}
