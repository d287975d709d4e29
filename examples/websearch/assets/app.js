// The pages work without this script, by loading anew. It loads only what changed:
// it asks for the same URLs, and takes from the answer the elements marked data-live.
// What comes is made by the server, where all text is escaped.

const parse = (html) => new DOMParser().parseFromString(html, "text/html");
const form = document.querySelector("form[data-live-form]");
const posts = form?.method === "post";
let underway = null;

// formURL is the URL that says what the form does, without what is default anyway.
function formURL() {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    const control = form.elements[name];
    const plain = name === "collapse" || value === "" || value === control?.dataset?.default ||
      (control instanceof RadioNodeList && form.querySelector(`[name="${name}"][data-default]`)?.value === value);
    if (!plain) url.searchParams.set(name, value);
  }
  // Those that are disabled keep what they say, and are on again with collapse.
  for (const { name, value, checked } of form.querySelectorAll('[role="switch"]')) {
    if (checked !== (name === "collapse")) url.searchParams.set(name, checked ? value : "off");
  }
  for (const group of document.querySelectorAll("details.group[open]")) {
    url.searchParams.append("open", group.dataset.head);
  }
  return url;
}

// pasteURL is what to show for a posted text: it is not in the URL, unless it is that of
// a document.
function pasteURL() {
  const url = formURL();
  url.searchParams.delete("text");
  url.searchParams.delete("open");
  const like = new URLSearchParams(location.search).get("like");
  if (like && form.elements.text.value === form.elements.text.defaultValue) url.searchParams.set("like", like);
  return url;
}

// go shows what is at url. A later call overtakes an earlier one.
// "slide" is how a slider's moves are kept: all of one slider's as one entry of the browser's
// history, after the entry of what was there before.
async function go(url, { history: how = "push", shown = url, scroll = false, slider = null } = {}) {
  underway?.abort();
  const mine = (underway = new AbortController());
  const list = document.getElementById("list");
  list?.setAttribute("aria-busy", "true");
  try {
    const request = { signal: mine.signal };
    if (posts) Object.assign(request, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    const answer = parse(await (await fetch(url, request)).text());
    if (mine !== underway) return;
    const failure = answer.querySelector(".failure p");
    if (failure) throw new Error(failure.textContent);
    if (how === "slide") how = history.state?.slider === slider ? "replace" : "push";
    if (how === "push") history.pushState({ slider }, "", shown);
    if (how === "replace") history.replaceState({ slider }, "", shown);
    swap(answer);
    if (how === "none") fill(answer);
    if (scroll) {
      document.getElementById("status").scrollIntoView({ block: "nearest" });
      window.scrollTo({ top: 0 });
    }
  } catch (error) {
    if (mine !== underway || error.name === "AbortError") return;
    document.getElementById("status").textContent = error.message;
  } finally {
    if (mine === underway) list?.removeAttribute("aria-busy");
  }
}

// swap takes the live elements of another page into this one, and keeps the focus.
function swap(answer) {
  const focused = document.activeElement?.getAttribute("href");
  const region = document.activeElement?.closest("[data-live]");
  document.title = answer.title;
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = answer.getElementById(old.id);
    if (fresh) old.replaceChildren(...fresh.childNodes);
  }
  if (region && !document.contains(document.activeElement?.closest("[data-live] a"))) {
    const again = focused && [...region.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused);
    (again ?? region.querySelector('[aria-current]') ?? region.querySelector("a"))?.focus({ preventScroll: true });
  }
  document.querySelectorAll("details.group[open]").forEach(unfold);
}

// fill sets the form's controls as they stand in another page.
function fill(answer) {
  for (const control of answer.querySelectorAll("form[data-live-form] [name]")) {
    const own = [...form.querySelectorAll(`[name="${control.name}"]`)].find((c) => c.type === control.type && (c.type !== "radio" || c.value === control.value));
    if (!own || own.type === "hidden") continue;
    own.value = control.value;
    own.checked = control.checked;
  }
  refresh();
}

// refresh shows what the sliders say, and what the first switch allows.
function refresh() {
  const [fold, ...minor] = form.querySelectorAll('[role="switch"]');
  for (const other of minor) other.disabled = !fold.checked;
  for (const slider of form.querySelectorAll('input[type="range"]')) {
    form.querySelector(`output[for="${slider.id}"]`).value = slider.value;
  }
}

// compare loads what two documents have in common, once they are to be seen.
async function compare(details) {
  const panel = details.querySelector(".panel");
  if (panel.dataset.loaded || panel.querySelector(".compare")) return;
  panel.dataset.loaded = "yes";
  panel.replaceChildren();
  const url = new URL(details.dataset.compare, location.href);
  url.searchParams.set("part", "1");
  try {
    const text = details.dataset.text && document.getElementById(details.dataset.text).value;
    const answer = await fetch(url, text ? { method: "POST", body: new URLSearchParams({ text }) } : {});
    panel.replaceChildren(...parse(await answer.text()).body.childNodes);
  } catch {
    delete panel.dataset.loaded;
    panel.textContent = "The comparison could not be loaded. Close and open this to try again.";
  }
}

// unfold opens the first copy of a group that differs from the head.
function unfold(group) {
  if (group.querySelector("details.copy[open]")) return;
  const copy = group.querySelector("details.copy[data-differs]") ?? group.querySelector("details.copy");
  if (copy) copy.open = true;
}

document.addEventListener("toggle", ({ target }) => {
  if (target.matches("details.copy") && target.open) compare(target);
  if (!target.matches("details.group")) return;
  if (target.open) unfold(target);
  if (form && !posts) {
    const url = new URL(location.href);
    url.searchParams.delete("open");
    for (const group of document.querySelectorAll("details.group[open]")) url.searchParams.append("open", group.dataset.head);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }
}, true);

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-live-link]");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const one = form?.elements.per; // a link to a project's results turns it off
  if (one) one.checked = new URL(link.href).searchParams.has("per");
  go(link.href, { scroll: link.closest(".pager, .rest") !== null });
});

// "/" goes to the field for the query or the text, unless something is being typed.
document.addEventListener("keydown", (event) => {
  const field = form?.querySelector("[aria-keyshortcuts]");
  if (event.key !== "/" || !field || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=range], [type=checkbox], [type=radio]), textarea, select")) return;
  event.preventDefault();
  field.focus();
  field.select();
});

if (form) {
  let timer;
  const act = (how, wait, slider = null) => {
    clearTimeout(timer);
    if (posts && !form.elements.text.value.trim()) return;
    timer = setTimeout(() => go(posts ? form.action : formURL(), posts ? { history: "replace", shown: pasteURL() } : { history: how, slider }), wait);
  };
  form.addEventListener("input", (event) => {
    if (event.target.type !== "range") return;
    refresh();
    act("slide", 30, event.target.id);
  });
  form.addEventListener("change", (event) => {
    if (event.target.matches("select, [type=checkbox], [type=radio]")) {
      refresh();
      act("push", 0);
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    document.querySelectorAll("details.group[open]").forEach((group) => group.removeAttribute("open"));
    act("push", 0);
  });
  if (!posts) {
    window.addEventListener("popstate", () => {
      clearTimeout(timer);
      go(location.href, { history: "none" });
    });
  }
  refresh();
}
document.querySelectorAll("details.group[open]").forEach(unfold);
