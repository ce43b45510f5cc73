// Joining: the code comes behind the # of the address that was scanned, or is typed. It travels in a body only, so that
// no history, no log and no Referer keeps it.

const form = document.getElementById("join");
const field = document.getElementById("code");
const button = form.querySelector("button");
const words = document.getElementById("words");
const UNREACHED = "The table does not answer. Is it still running, and is this device in the same network?";

function say(text, refused = false) {
  words.textContent = text;
  words.className = refused ? "refused" : "";
}

function shaped(text) {
  const plain = text.toUpperCase().replace(/[^0-9A-Z]/g, "").slice(0, 8);
  return plain.length > 4 ? `${plain.slice(0, 4)}-${plain.slice(4)}` : plain;
}

async function join() {
  if (!field.value.trim()) {
    say("Type the code first.", true);
    field.focus();
    return;
  }
  button.disabled = true;
  say("Joining ...");
  try {
    const answer = await fetch("/join", { method: "POST", body: field.value });
    if (answer.ok) {
      location.replace("/");
      return;
    }
    say(await answer.text(), true);
    field.select();
  } catch {
    say(UNREACHED, true);
  }
  button.disabled = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  join();
});
field.addEventListener("input", () => {
  if (field.selectionStart === field.value.length) field.value = shaped(field.value);
});

async function arrive() {
  const scanned = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (scanned) {
    field.value = shaped(scanned);
    await join();
    return;
  }
  try {
    // Who has joined before goes straight in.
    if ((await fetch("/join")).ok) location.replace("/");
    else field.focus();
  } catch {
    say(UNREACHED, true);
  }
}

addEventListener("hashchange", arrive);
arrive();
