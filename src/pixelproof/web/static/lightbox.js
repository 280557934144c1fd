// The lightbox of a gallery: one answer with its images, numbers, prompt, conversation and text.
pixelproof.lightbox = (root, data) => {
  "use strict";
  const { make, count } = pixelproof;
  const { SAMPLE, OUTCOME, KIND, DETAIL, NOTES, IMAGES, LEFT_OUT, NUMBERS, TEXT, LENGTH, PROMPT, TRACE } = pixelproof.fields;
  const SHORT = 1200;
  const dialog = root.querySelector("dialog"), title = dialog.querySelector(".lightbox-title"), body = dialog.querySelector(".lightbox-body");
  // All answers that are shown, in order; the one that is open; the button that opened it; the name of the enlarged image.
  let line = [], current = 0, opener = null, large = "";

  // Where an image is enlarged, its pixels stay sharp; where it is reduced, it is smoothed.
  const sharpen = (image) => image.classList.toggle("pixels",
    image.naturalWidth <= image.clientWidth && image.naturalHeight <= image.clientHeight);

  function image(number, alt) {
    const src = data.images[number];
    const element = make("img", { src, alt, decoding: "async", loading: src.startsWith("data:") ? "eager" : "lazy" });
    element.addEventListener("load", () => sharpen(element));
    return element;
  }

  function show(place) {
    current = place;
    const { row, column, entry } = line[place];
    title.replaceChildren(row.label, make("small", {
      text: `${data.columns[column].join(" · ")} · sample ${entry[SAMPLE] + 1} · ${place + 1} of ${line.length}`,
    }));
    const left = figures(row, column, entry);
    // Beside images stand all texts; without images, the prompt stands beside the reply.
    const [before, after] = [[...facts(row, entry), ...prompt(entry)], [...conversation(entry), ...reply(entry)]];
    const beside = !left.length && entry[PROMPT] !== null;
    body.classList.toggle("single", !left.length && !beside);
    body.classList.toggle("several", left.length > 1);
    const box = make("div", { class: left.length > 4 ? "images three" : left.length > 1 ? "images two" : "images" }, ...left);
    body.replaceChildren(...(left.length ? [box] : []), ...(beside ? [make("div", {}, ...before), make("div", {}, ...after)]
      : [make("div", {}, ...before, ...after)]));
    body.scrollTop = 0;
    if (!dialog.open) dialog.showModal();
    enlarge(large);
  }

  function figures(row, column, entry) {
    const all = [...row.given, ...entry[IMAGES]];
    const made = all.map(([name, number], i) => {
      const element = image(number, `${name} of ${row.label} by ${data.columns[column][1]}`);
      const key = all.length > 1 && i < 9 ? make("kbd", { text: i + 1 }) : null;
      const figure = make("figure", { "data-name": name }, element, make("figcaption", {}, key, name));
      if (all.length > 1) element.addEventListener("click", () => enlarge(large === name ? "" : name));
      return figure;
    });
    if (entry[LEFT_OUT]) made.push(make("p", { class: "none", text: `${entry[LEFT_OUT]} more in the run directory` }));
    return made;
  }

  // One image large and the others small, or all of one size; the choice stays for the next answer.
  function enlarge(name) {
    large = name;
    const all = [...body.querySelectorAll("figure")];
    all.forEach((figure) => figure.classList.toggle("large", all.length > 1 && figure.dataset.name === name));
    all.forEach((figure) => sharpen(figure.querySelector("img")));
  }

  function facts(row, entry) {
    const parts = [make("p", { class: `verdict ${entry[KIND]}`, text: entry[OUTCOME] })];
    if (entry[DETAIL]) parts.push(make("p", { class: "note", text: entry[DETAIL] }));
    parts.push(list([["item", row.item], ...entry[NOTES].map(([name, note]) => [name.replaceAll("_", " "), note])], ""));
    const numbers = entry[NUMBERS].map(([metric, value]) => [metric, data.metrics[metric],
      value.toLocaleString("en", { maximumSignificantDigits: 4 })]);
    const first = numbers.filter(([metric]) => metric < data.headline), rest = numbers.filter(([metric]) => metric >= data.headline);
    if (first.length) parts.push(list(first.map(([, name, value]) => [name, value]), "numbers"));
    if (rest.length) {
      parts.push(make("details", { class: "inner" }, make("summary", { text: `${rest.length} more numbers` }),
        list(rest.map(([, name, value]) => [name, value]), "numbers")));
    }
    return parts;
  }

  function list(pairs, kind) {
    return make("dl", { class: kind }, ...pairs.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]));
  }

  // A text of which the beginning is shown, until all of it is asked for.
  function excerpt(text, short = SHORT) {
    const block = make("pre", { class: "code", tabindex: "0", text: text.slice(0, short) });
    if (text.length <= short) return [block];
    const all = make("button", { type: "button", class: "link", text: `Show all ${count(text.length)} characters` });
    all.addEventListener("click", () => { block.textContent = text; block.classList.add("all"); all.remove(); });
    return [block, all];
  }

  const contents = (parts, short) => parts.flatMap((part) => (typeof part === "number"
    ? [image(part, "")] : part.trim() ? excerpt(part, short) : []));

  function prompt(entry) {
    if (entry[PROMPT] === null) return [];
    return data.prompts[entry[PROMPT]].flatMap(([name, parts]) => [make("h4", { text: name }),
      make("div", { class: "message" }, ...contents(parts, 600))]);
  }

  function conversation(entry) {
    if (!entry[TRACE].length) return [];
    const turns = entry[TRACE].map(([name, parts]) => make("li", {}, make("span", { class: "role", text: name }),
      make("div", { class: "message" }, ...contents(parts, 600))));
    return [make("h4", { text: `Conversation, ${count(turns.length)} turns` }), make("ol", { class: "turns" }, ...turns)];
  }

  function reply(entry) {
    if (!entry[LENGTH]) return entry[IMAGES].length || entry[TRACE].length ? [] : [make("h4", { text: "No text in the reply" })];
    const parts = [make("h4", { text: `Reply, ${count(entry[LENGTH])} characters` }), ...excerpt(entry[TEXT])];
    if (entry[TEXT].length < entry[LENGTH]) {
      parts.push(make("p", { class: "note", text: `This page has the first ${count(entry[TEXT].length)} characters; the run directory has all.` }));
    }
    return parts;
  }

  const step = (by) => show((current + by + line.length) % line.length);

  // The same column and sample of the next row, or the nearest answer in it.
  function stepRow(by) {
    const { r, column, entry } = line[current];
    const last = line.reduce((most, other) => Math.max(most, other.r), 0);
    for (let next = r + by; next >= 0 && next <= last; next += by) {
      const there = line.map((other, i) => [other, i]).filter(([other]) => other.r === next);
      if (!there.length) continue;
      const [, place] = there.find(([other]) => other.column === column && other.entry[SAMPLE] === entry[SAMPLE])
        || there.find(([other]) => other.column === column) || there[0];
      show(place);
      return;
    }
  }

  dialog.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => stepRow(-1), ArrowDown: () => stepRow(1) };
    const inText = event.target.closest && event.target.closest("pre");
    body.querySelectorAll("figure").forEach((figure, i) => {
      const { name } = figure.dataset;
      moves[i + 1] = () => enlarge(large === name ? "" : name);
    });
    if (!moves[event.key] || event.altKey || event.ctrlKey || event.metaKey || inText) return;
    event.preventDefault();
    moves[event.key]();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) { dialog.close(); return; }
    const by = event.target.dataset.step;
    if (by === "close") dialog.close();
    else if (by) step(Number(by));
  });
  dialog.addEventListener("close", () => { if (opener && opener.isConnected) opener.focus(); });

  return {
    image,
    // Open the answer at a place of the line, with the image of this name enlarged.
    open(answers, place, button, name = "") {
      [line, opener, large] = [answers, button, name];
      show(place);
    },
  };
};
