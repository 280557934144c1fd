// The page of a rater. The server decides what is shown; an answer counts when the server has said so, and only then does the next
// item appear. A request that fails is sent again with the same numbers, by which the server knows it.
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const SETTLE = 350; // ms in which a new question takes no answer: the second click of a double click belongs to the one before
  const POLL = 20000; // ms between looks whether items of others have become free
  const $ = (id) => document.getElementById(id);
  const { make } = pixelproof;
  const loaded = new Map(); // key → promise of an image element that is ready to be shown
  let state = null, current = null, ready = false, shownAt = 0, drawing = 0, polling = 0;

  const NOTES = {
    answered: "This question was answered already, perhaps in another window: the earlier answer counts.",
    taken: "This image has enough votes meanwhile: here is another one.",
    undone: "Your last answer is taken back.",
    final: "That answer is final: a later one has been stored.",
  };
  const { change, isBusy } = pixelproof.judging(NOTES, (next) => { state = next; return show(); });

  function image(key) {
    if (!loaded.has(key)) {
      const element = make("img", { src: `/files/${key}`, alt: "Image to rate", draggable: "false" });
      const promise = element.decode().then(() => element);
      promise.catch(() => loaded.delete(key));
      loaded.set(key, promise);
    }
    return loaded.get(key);
  }

  function answerButton(value, key, label, shortcut) {
    const button = make("button", { type: "button", class: "rate-answer", "aria-keyshortcuts": shortcut },
      make("b", { text: key }), label ? make("span", { text: label, dir: "auto" }) : null);
    button.dataset.value = value;
    button.addEventListener("click", () => answer(value));
    return button;
  }

  function buttons(question) {
    if (question.kind === "scale") {
      return [1, 2, 3, 4, 5].map((level) => answerButton(level, String(level), question.labels[level - 1], String(level)));
    }
    if (question.kind === "yesno") return [answerButton(1, "Yes", "", "Y"), answerButton(0, "No", "", "N")];
    const neither = question.ties ? [answerButton(0, "=", "neither", "ArrowDown")] : [];
    return [answerButton(1, "A", "is better", "ArrowLeft"), ...neither, answerButton(-1, "B", "is better", "ArrowRight")];
  }

  const only = (id) => ["training", "rating", "finished"].forEach((name) => { $(name).hidden = name !== id; });

  async function showImages() {
    const turn = drawing, keys = current.images;
    $("stage").replaceChildren();
    $("stage").dataset.shown = "";
    $("stage").dataset.images = keys.length;
    try {
      const elements = await Promise.all(keys.map(image));
      if (turn !== drawing) return false;
      const name = (place) => (keys.length > 1 ? make("figcaption", { text: "AB"[place] }) : null);
      $("stage").replaceChildren(...elements.map((element, place) => make("figure", {}, name(place), element)));
      $("stage").dataset.shown = current.presentation;
      return true;
    } catch {
      if (turn !== drawing) return false;
      const again = make("button", { type: "button", class: "more", text: "Load again" });
      again.addEventListener("click", show);
      $("stage").replaceChildren(make("p", { text: "The image could not be loaded." }), again);
      return false;
    }
  }

  async function show() {
    drawing += 1;
    ready = false;
    $("progress").max = Math.max(1, state.total);
    $("progress").value = state.done;
    $("count").textContent = state.trained ? `${state.done} of ${state.total}` : "";
    $("undo").disabled = state.undo === null || !state.trained;
    clearTimeout(polling);
    if (!state.trained) { only("training"); return; }
    if (!state.queue.length) { finish(); return; }
    only("rating");
    current = state.queue[0];
    const question = current.questions[0];
    $("prompt").textContent = current.prompt;
    $("prompt").hidden = !question.prompt || !current.prompt;
    $("question").textContent = question.text;
    $("answers").replaceChildren(...buttons(question));
    $("answers").className = `rate-${question.kind}`;
    if ($("stage").dataset.shown !== String(current.presentation) && !(await showImages())) return;
    const wanted = new Set(state.queue.flatMap((item) => item.images));
    [...loaded.keys()].filter((key) => !wanted.has(key)).forEach((key) => loaded.delete(key));
    wanted.forEach((key) => { image(key).catch(() => {}); });
    shownAt = performance.now();
    ready = true;
  }

  function finish() {
    only("finished");
    $("stage").dataset.shown = "";
    $("finished-text").textContent = state.later
      ? "There is nothing to rate at the moment: other raters have the last images. This page looks again by itself."
      : "You have rated everything that there is for you. You can close this page.";
    if (state.later) polling = setTimeout(refresh, POLL);
  }

  function answer(value) {
    if (isBusy() || !ready || performance.now() - shownAt < SETTLE) return;
    const question = current.questions[0];
    document.querySelectorAll(".rate-answer").forEach((button) => button.classList.toggle("chosen", button.dataset.value === String(value)));
    change("/vote", { presentation: current.presentation, question: question.question, attempt: question.attempt, value });
  }

  const undo = () => { if (state && state.undo !== null && state.trained) change("/undo", { vote: state.undo }); };
  const refresh = () => change("/state", {});

  function valueOf(key) {
    const question = current.questions[0];
    if (question.kind === "scale") return /^[1-5]$/.test(key) ? Number(key) : null;
    if (question.kind === "yesno") return { y: 1, n: 0 }[key.toLowerCase()] ?? null;
    const chosen = { ArrowLeft: 1, a: 1, ArrowRight: -1, b: -1, ...(question.ties ? { ArrowDown: 0, "=": 0 } : {}) };
    return Object.hasOwn(chosen, key) ? chosen[key] : null;
  }

  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || !state) return;
    if (event.key === "Backspace") { event.preventDefault(); undo(); return; }
    if ($("rating").hidden) return;
    const value = valueOf(event.key);
    if (value !== null) { event.preventDefault(); answer(value); }
  });
  $("undo").addEventListener("click", undo);
  $("start").addEventListener("click", () => change("/trained", {}));
  refresh();
});
