// A button at each block of code copies what one types: of a session only the commands, without prompts and output.

const SESSIONS = [/^\$ /, /^(?:>>>|\.\.\.)(?: |$)/];

function typed(text) {
  const lines = text.trimEnd().split("\n");
  const prompt = SESSIONS.find((session) => session.test(lines[0]));
  if (!prompt) return lines.join("\n");
  return lines.filter((line) => prompt.test(line)).map((line) => line.replace(prompt, "")).join("\n").trimEnd();
}

/** Put a text into the clipboard, also where a page that is a file may not do so by itself. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await copy(typed(block.querySelector("pre").textContent));
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.append(button);
  }
});
