// Keeps a part of a page up to date while it is followed. Without scripts the page is loaded again instead.
"use strict";

const part = document.getElementById("live");
const state = document.getElementById("live-state");
const events = new EventSource(part.dataset.events);
const RELOAD_MS = 5000;

function renew(text) {
  // what a reader has folded or unfolded, and where the focus is, stays
  const folded = new Map();
  for (const each of part.querySelectorAll("details")) {
    folded.set(each.querySelector("summary").textContent, each.open);
  }
  const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  part.innerHTML = text;
  for (const each of part.querySelectorAll("details")) {
    each.open = folded.get(each.querySelector("summary").textContent) ?? each.open;
  }
  if (focused) {
    part.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
}

events.addEventListener("part", (event) => {
  renew(event.data);
  state.textContent = "This page follows the progress.";
});
events.addEventListener("end", () => {
  events.close();
  state.textContent = "It has ended; this page does not change any more.";
});
events.addEventListener("stale", () => {
  state.textContent = "The progress cannot be read at present; what stands here may be old.";
});
events.addEventListener("error", () => {
  state.textContent = "The connection is interrupted; what stands here may be old.";
  if (events.readyState === EventSource.CLOSED) {
    setTimeout(() => location.reload(), RELOAD_MS);
  }
});
