// The page works without this script, by loading anew. With it, what has changed is replaced: the
// script asks for the same page and takes the elements marked data-live from the answer. The server
// makes that, and escapes all text.

const every = 3000; // ms
const seen = new Map([...document.querySelectorAll("[data-live]")].map((e) => [e.id, e.innerHTML]));
const said = document.getElementById("held").innerHTML;
let underway = null;

// load asks for the page, or sends a form and gets the page. A later call overtakes an earlier one.
// Lists stay while somebody points at them or has the focus in them, so that nobody clicks on what has
// just moved, unless it is the answer to a click.
async function load(request, clicked) {
  underway?.abort();
  const mine = (underway = new AbortController());
  try {
    const response = await fetch(location.href, { ...request, signal: mine.signal });
    const text = await response.text();
    if (mine !== underway) return;
    if (!response.ok) throw new Error(text.trim());
    show(new DOMParser().parseFromString(text, "text/html"), clicked);
  } catch (error) {
    if (mine === underway && error.name !== "AbortError") {
      document.getElementById("held").textContent = `not up to date, trying again: ${error.message}`;
    }
  }
}

function show(answer, clicked) {
  let held = "";
  document.title = answer.title;
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = answer.getElementById(old.id);
    if (!fresh || fresh.innerHTML === seen.get(old.id)) continue;
    if (!clicked && old.dataset.live === "click") continue; // a question waits for its answer
    if (!clicked && "hold" in old.dataset && old.matches(":hover, :focus-within")) {
      held = "there is something new: the list stays while you point at it";
      continue;
    }
    seen.set(old.id, fresh.innerHTML);
    replace(old, fresh);
  }
  const note = document.getElementById("held");
  if (held && note.textContent !== held) note.textContent = held;
  if (!held && note.innerHTML !== said) note.innerHTML = said;
}

// replace keeps the focus.
function replace(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const top = old.scrollTop;
  old.replaceChildren(...fresh.childNodes);
  old.scrollTop = top;
  if (focused) old.querySelector(`[data-key="${focused}"]`)?.focus();
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const body = new URLSearchParams(new FormData(event.target, event.submitter));
  load({ method: "POST", body }, true);
});
setInterval(() => document.hidden || load({}, false), every);
document.addEventListener("visibilitychange", () => document.hidden || load({}, false));
