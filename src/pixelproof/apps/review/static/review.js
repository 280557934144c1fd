// The page of a reviewer. A decision counts when the server has said so, and only then does the next proposal appear.
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const SETTLE = 250; // ms in which a new proposal takes no decision: the second click of a double click belongs to the one before
  const $ = (id) => document.getElementById(id);
  const { make } = pixelproof;
  const NOTES = {
    decided: "This proposal was decided already, perhaps in another window: that decision counts.",
    undone: "The last decision is taken back.",
    final: "That decision is final: a later one has been stored.",
  };
  const { change, isBusy } = pixelproof.judging(NOTES, (next) => { state = next; return show(); });
  const loaded = new Map(); // key → image element
  let state = null, current = null, shownAt = 0;

  function image(key) {
    if (!loaded.has(key)) loaded.set(key, make("img", { src: `/files/${key}`, alt: "Image of the proposal", draggable: "false" }));
    return loaded.get(key);
  }

  const form = (name) => {
    for (const id of ["fixing", "rejecting"]) $(id).hidden = id !== name;
    $("answers").hidden = name !== null;
    if (name === "fixing") { $("fixed").value = current.text; $("fixed").focus(); $("fixed").select(); }
    if (name === "rejecting") { $("reason").value = ""; document.activeElement?.blur(); }
  };

  function show() {
    const { accept, fix, reject } = state.counts;
    $("progress").max = Math.max(1, state.total);
    $("progress").value = state.done;
    $("count").textContent = `${state.done} of ${state.total}: ${accept} accepted, ${fix} fixed, ${reject} rejected`;
    $("undo").disabled = state.undo === null;
    current = state.queue[0] ?? null;
    $("rating").hidden = current === null;
    $("finished").hidden = current !== null;
    if (current === null) {
      $("finished-text").textContent = `${accept} accepted, ${fix} with another text, ${reject} rejected. Backspace takes the last decision back.`;
      return;
    }
    form(null);
    $("question").textContent = current.text;
    $("facts").replaceChildren(...current.facts.map(({ name, text }) => make("div", {}, make("dt", { text: name }), make("dd", { text }))));
    $("given").replaceChildren(...state.reasons.map((reason) => make("option", { value: reason })));
    $("stage").dataset.images = current.images.length;
    $("stage").replaceChildren(...current.images.map(({ name, key }) => make("figure", {}, make("figcaption", { text: name }), image(key))));
    const wanted = new Set(state.queue.flatMap((one) => one.images.map(({ key }) => key)));
    [...loaded.keys()].filter((key) => !wanted.has(key)).forEach((key) => loaded.delete(key));
    wanted.forEach(image);
    shownAt = performance.now();
  }

  function decide(verdict, more = {}) {
    if (isBusy() || !current || performance.now() - shownAt < SETTLE) return;
    change("/decide", { id: current.id, attempt: current.attempt, verdict, ...more });
  }

  const fix = () => decide("fix", { text: $("fixed").value });
  const reject = (reason) => decide("reject", { reason });
  const later = () => { if (current) change("/state", { after: current.id }); };
  const undo = () => { if (state && state.undo !== null) change("/undo", { decision: state.undo }); };
  const reasons = [...document.querySelectorAll("#reasons button")];

  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || !state) return;
    const typing = event.target === $("fixed") || event.target === $("reason");
    if (event.key === "Escape" && current) { event.preventDefault(); form(null); document.activeElement?.blur(); return; }
    if (event.key === "Enter" && typing && !event.shiftKey) {
      event.preventDefault();
      if (event.target === $("fixed")) fix(); else reject($("reason").value);
      return;
    }
    if (typing) return;
    if (event.key === "Backspace" && (!current || !$("answers").hidden)) { event.preventDefault(); undo(); return; }
    if (!current) return;
    if (!$("rejecting").hidden && /^[1-9]$/.test(event.key) && reasons[event.key - 1]) {
      event.preventDefault();
      reject(reasons[event.key - 1].textContent);
      return;
    }
    if (!$("rejecting").hidden) { if (event.key.length === 1) $("reason").focus(); return; } // letters are a written reason
    if (!$("fixing").hidden) return;
    const action = { a: () => decide("accept"), f: () => form("fixing"), r: () => form("rejecting"), s: later }[event.key.toLowerCase()];
    if (action) { event.preventDefault(); action(); }
  });
  $("accept").addEventListener("click", () => decide("accept"));
  $("fix").addEventListener("click", () => form("fixing"));
  $("reject").addEventListener("click", () => form("rejecting"));
  $("later").addEventListener("click", later);
  $("undo").addEventListener("click", undo);
  reasons.forEach((button) => button.addEventListener("click", () => reject(button.textContent)));
  document.querySelectorAll("form").forEach((element) => element.addEventListener("submit", (event) => event.preventDefault()));
  change("/state", {});
});
