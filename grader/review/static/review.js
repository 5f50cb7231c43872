// Keys, and a regrade that is watched. Every page works without this file.
"use strict";

const SWITCH = "review-keys";
const WALKED = "a[data-row]";

function isTyping(element) {
  return element.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]") !== null;
}

function areKeysOn() {
  try {
    return localStorage.getItem(SWITCH) !== "off";
  } catch {
    return true; // storage is forbidden: the switch then lasts for a page
  }
}

function walkRows(step) {
  const rows = [...document.querySelectorAll(WALKED)];
  if (rows.length === 0) return false;
  const at = rows.indexOf(document.activeElement);
  const to = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  if (to >= 0 && to < rows.length) rows[to].focus();
  return true;
}

function showKeys() {
  const keys = document.getElementById("keys");
  if (!keys) return;
  keys.open = true;
  keys.querySelector("summary").focus();
}

function press(key) {
  if (key === "?") {
    showKeys();
    return true;
  }
  const found = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (found) {
    if (found.matches("a, button")) found.click();
    else found.focus();
    return true;
  }
  if (key === "j") return walkRows(1);
  if (key === "k") return walkRows(-1);
  return false;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
  if (areKeysOn() && press(event.key)) event.preventDefault();
});

for (const line of document.querySelectorAll("[data-keys]")) {
  const box = line.querySelector("input");
  line.hidden = false;
  box.checked = areKeysOn();
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(SWITCH, box.checked ? "on" : "off");
    } catch {
      box.checked = true;
    }
  });
}

// A box that ticks all rows of the page; without a script the choice "all that are listed" does the same.
for (const all of document.querySelectorAll("[data-all]")) {
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const box of document.querySelectorAll("input[name=submission][type=checkbox]")) box.checked = all.checked;
  });
}

// Text that is typed and not sent is not lost by a click on a link, or on a button of another form.
const unsent = new Set();
document.addEventListener("input", (event) => {
  if (event.target.matches("textarea")) unsent.add(event.target.form);
});
document.addEventListener("submit", (event) => {
  unsent.delete(event.target);
});
window.addEventListener("beforeunload", (event) => {
  if (unsent.size > 0) event.preventDefault();
});

async function refresh(part) {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(part.id);
    if (!fresh) throw new Error("the page has changed");
    // Only what differs is put in, so that a reader's focus and a screen reader's place stay.
    if (fresh.dataset.refresh === undefined) part.replaceWith(fresh);
    else {
      part.querySelector("[role=status]").textContent = fresh.querySelector("[role=status]").textContent;
      part.querySelector("progress").value = fresh.querySelector("progress").value;
      watch(part);
    }
  } catch {
    part.querySelector("[role=status]").textContent = "The server does not answer. Reload the page when it runs again.";
  }
}

function watch(part) {
  setTimeout(() => refresh(part), Number(part.dataset.refresh));
}

for (const part of document.querySelectorAll("[data-refresh]")) watch(part);
