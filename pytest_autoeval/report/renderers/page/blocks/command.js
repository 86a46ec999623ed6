/* A line to paste into a shell. */

function drawCommand(block) {
  return element("div", { class: "purpose" }, element("h4", {}, text(block.purpose)), command(block.command));
}
