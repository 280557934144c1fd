// The gallery and its lightbox. Text enters the page by textContent alone.
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const block = document.getElementById("gallery-data");
  if (!block) return;
  const data = JSON.parse(block.textContent);
  const [SAMPLE, OUTCOME, FAILED, DETAIL, NOTES, PICTURES, LEFT_OUT, NUMBERS, TEXT, LENGTH] = Array(10).keys();
  const AT_ONCE = 20;
  const SHORT = 1200, EXCERPT = 60;
  const byId = (id) => document.getElementById(id);
  const rowsBox = byId("gallery-rows"), more = byId("gallery-more"), count = byId("gallery-count");
  const order = byId("gallery-order"), view = byId("gallery-view"), search = byId("gallery-search");
  const dialog = byId("lightbox"), title = byId("lightbox-title"), body = byId("lightbox-body");
  const samples = Math.max(1, ...data.rows.flatMap((row) => row.cells.map((cell) => cell.length)));
  rowsBox.style.setProperty("--runs", data.runs.length);
  rowsBox.style.setProperty("--across", Math.min(3, samples));
  const given = [...new Set(data.rows.flatMap((row) => row.given.map(([name]) => name)))];
  rowsBox.style.setProperty("--given", given.length);
  rowsBox.classList.toggle("with-given", given.length > 0);

  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "text") element.textContent = value;
      else if (value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  const told = (number) => number.toLocaleString("en", { maximumSignificantDigits: 4 });

  // What is shown: rows in their order, and all their answers in a line for the arrow keys.
  let rows = [], line = [], drawn = 0, current = 0, opener = null, large = "";
  const failures = (row) => row.cells.flat().filter((shot) => shot[FAILED]).length;
  const words = new Map(data.rows.map((row) => [row, [row.label, row.about, row.item,
    ...row.cells.flat().map((shot) => shot[OUTCOME])].join("\n").toLowerCase()]));

  // The mean of the first metric over the answers of the models; a failure counts as the worst value there is.
  const value = (shot) => (shot[NUMBERS].length && shot[NUMBERS][0][0] === 0 ? shot[NUMBERS][0][1] * data.sign : null);
  const judged = (row) => data.judged.flatMap((run) => row.cells[run]).filter((shot) => shot[FAILED] || value(shot) !== null);
  const worst = data.rows.flatMap(judged).reduce((least, shot) => Math.min(least, value(shot) ?? Infinity), Infinity);
  const merit = new Map(data.rows.map((row) => [row, judged(row).length
    ? judged(row).reduce((sum, shot) => sum + (value(shot) ?? worst), 0) / judged(row).length : Infinity]));

  function select() {
    const wanted = search.value.trim().toLowerCase();
    rows = data.rows.filter((row) => words.get(row).includes(wanted));
    if (order.value === "only") rows = rows.filter(failures);
    if (order.value === "worst") rows.sort((a, b) => (merit.get(a) === merit.get(b) ? 0 : merit.get(a) - merit.get(b)));
    else if (order.value !== "asked") rows.sort((a, b) => failures(b) - failures(a));
    line = [];
    rows.forEach((row, r) => row.cells.forEach((cell, run) => cell.forEach((shot) => {
      if (order.value !== "only" || shot[FAILED]) line.push({ row, r, run, shot });
    })));
    rowsBox.replaceChildren(head());
    drawn = 0;
    draw();
    count.textContent = `${rows.length.toLocaleString("en")} of ${data.rows.length.toLocaleString("en")} items`;
    if (!rows.length) rowsBox.append(make("p", { class: "empty", text: "Nothing matches." }));
  }

  function head() {
    const names = data.runs.map(([key, name]) => make("div", { class: "run-cell" },
      make("span", { class: "badge", text: key }), make("span", { text: name })));
    const own = given.map((name) => make("div", { class: "run-cell", text: name }));
    return make("div", { class: "gallery-row gallery-head", "aria-hidden": "true" }, make("div"), ...own, ...names);
  }

  function draw() {
    const next = rows.slice(drawn, drawn + AT_ONCE);
    const places = new Map(line.map((entry, i) => [entry.shot, i]));
    next.forEach((row) => rowsBox.append(drawRow(row, places)));
    drawn += next.length;
    more.hidden = drawn >= rows.length;
    more.textContent = `Show ${Math.min(AT_ONCE, rows.length - drawn)} more of ${rows.length - drawn}`;
  }

  function drawRow(row, places) {
    const label = make("div", { class: "gallery-label" }, row.label, make("small", { text: row.about }));
    const cells = row.cells.map((cell, run) => make("div", { class: "gallery-cell" },
      make("span", { class: "badge", text: data.runs[run][0] }),
      ...cell.filter((shot) => places.has(shot)).map((shot) => thumbnail(row, run, shot, places.get(shot)))));
    return make("div", { class: "gallery-row" }, label, ...given.map((name) => own(row, name, places)), ...cells);
  }

  // A picture of the item itself; it opens the first answer of the row, with this picture large.
  function own(row, name, places) {
    const entry = row.given.find(([other]) => other === name);
    const first = row.cells.flat().find((shot) => places.has(shot));
    if (!entry) return make("div");
    const title = `${row.label}: ${name}`;
    const button = make("button", { type: "button", class: "own", "aria-label": title, title },
      make("span", { class: "frame" }, picture(entry, "")), make("span", { class: "name", text: name }));
    button.addEventListener("click", () => { opener = button; large = name; open(places.get(first)); });
    return button;
  }

  function thumbnail(row, run, shot, place) {
    const name = `${row.label}, ${data.runs[run][1]}, sample ${shot[SAMPLE] + 1}: ${shot[OUTCOME]}`;
    const score = order.value === "worst" && value(shot) !== null ? told(value(shot) * data.sign) : null;
    const button = make("button", { type: "button", class: shot[FAILED] ? "shot failed" : "shot", "aria-label": name, title: name },
      frame(shot), shot[FAILED] ? make("span", { class: "outcome", text: shot[OUTCOME] }) : null,
      score === null ? null : make("span", { class: "score", text: score }));
    button.addEventListener("click", () => { opener = button; large = ""; open(place); });
    return button;
  }

  // The picture that is wanted, or the first; without any, how the reply begins.
  function frame(shot) {
    const shown = view.value ? shot[PICTURES].find(([name]) => name === view.value) : shot[PICTURES][0];
    if (shown) return make("span", { class: "frame" }, picture(shown, ""));
    if (shot[LEFT_OUT]) return make("span", { class: "frame", text: "not in this page" });
    const begins = shot[TEXT].trim().slice(0, EXCERPT);
    return make("span", { class: begins ? "frame excerpt" : "frame", text: begins || data.missing });
  }

  // Pixels stay pixels where a picture is enlarged; a large one that is made smaller should be smooth.
  const sharpen = (image) => image.classList.toggle("pixels",
    image.naturalWidth <= image.clientWidth && image.naturalHeight <= image.clientHeight);

  function picture([, number], alt) {
    const image = make("img", { src: data.pictures[number], alt, decoding: "async" });
    image.addEventListener("load", () => sharpen(image));
    return image;
  }

  function open(place) {
    current = place;
    const { row, run, shot } = line[place];
    title.replaceChildren(row.label, make("small", {
      text: `${data.runs[run].join(" · ")} · sample ${shot[SAMPLE] + 1} · ${place + 1} of ${line.length}`,
    }));
    const left = pictures(row, run, shot);
    body.classList.toggle("single", !left.length);
    body.classList.toggle("several", left.length > 1);
    const box = make("div", { class: left.length > 4 ? "pictures three" : left.length > 1 ? "pictures two" : "pictures" }, ...left);
    body.replaceChildren(...(left.length ? [box] : []), make("div", {}, ...facts(row, shot)));
    body.scrollTop = 0;
    if (!dialog.open) dialog.showModal();
    enlarge(large);
  }

  function pictures(row, run, shot) {
    const all = [...row.given, ...shot[PICTURES]];
    const figures = all.map((entry, i) => {
      const image = picture(entry, `${entry[0]} of ${row.label} by ${data.runs[run][1]}`);
      const key = all.length > 1 && i < 9 ? make("kbd", { text: i + 1 }) : null;
      const figure = make("figure", { "data-name": entry[0] }, image, make("figcaption", {}, key, entry[0]));
      if (all.length > 1) image.addEventListener("click", () => enlarge(large === entry[0] ? "" : entry[0]));
      return figure;
    });
    if (shot[LEFT_OUT]) figures.push(make("p", { class: "none", text: `${shot[LEFT_OUT]} more in the run directory` }));
    return figures;
  }

  // One picture large and the others small, or all alike; the choice stays for the next answer.
  function enlarge(name) {
    large = name;
    const figures = [...body.querySelectorAll("figure")];
    figures.forEach((figure) => figure.classList.toggle("large", figures.length > 1 && figure.dataset.name === name));
    figures.forEach((figure) => sharpen(figure.querySelector("img")));
  }

  function facts(row, shot) {
    const parts = [make("p", { class: shot[FAILED] ? "verdict failed" : "verdict", text: shot[OUTCOME] })];
    if (shot[DETAIL]) parts.push(make("p", { class: "note", text: shot[DETAIL] }));
    parts.push(list([["item", row.item], ...shot[NOTES].map(([name, note]) => [name.replaceAll("_", " "), note])], ""));
    const numbers = shot[NUMBERS].map(([metric, value]) => [metric, data.metrics[metric], told(value)]);
    const first = numbers.filter(([metric]) => metric < data.headline), rest = numbers.filter(([metric]) => metric >= data.headline);
    if (first.length) parts.push(list(first.map(([, name, value]) => [name, value]), "numbers"));
    if (rest.length) {
      parts.push(make("details", { class: "inner" }, make("summary", { text: `${rest.length} more numbers` }),
        list(rest.map(([, name, value]) => [name, value]), "numbers")));
    }
    return [...parts, ...reply(shot)];
  }

  function list(pairs, kind) {
    return make("dl", { class: kind }, ...pairs.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]));
  }

  function reply(shot) {
    if (!shot[LENGTH]) return shot[PICTURES].length ? [] : [make("h4", { text: "No text in the reply" })];
    const heading = make("h4", { text: `Reply, ${shot[LENGTH].toLocaleString("en")} characters` });
    const text = make("pre", { class: "code", tabindex: "0", text: shot[TEXT].slice(0, SHORT) });
    const parts = [heading, text];
    if (shot[TEXT].length > SHORT) {
      const all = make("button", { type: "button", class: "link", text: "Show all" });
      all.addEventListener("click", () => { text.textContent = shot[TEXT]; text.classList.add("all"); all.remove(); });
      parts.push(all);
    }
    if (shot[TEXT].length < shot[LENGTH]) {
      parts.push(make("p", { class: "note", text: `This page has the first ${shot[TEXT].length.toLocaleString("en")} characters; the run directory has all.` }));
    }
    return parts;
  }

  const step = (by) => open((current + by + line.length) % line.length);

  // The same run and sample of the next row, or the nearest answer in it.
  function stepRow(by) {
    const { r, run, shot } = line[current];
    for (let next = r + by; next >= 0 && next < rows.length; next += by) {
      const there = line.map((entry, i) => [entry, i]).filter(([entry]) => entry.r === next);
      if (!there.length) continue;
      const [, place] = there.find(([e]) => e.run === run && e.shot[SAMPLE] === shot[SAMPLE]) || there.find(([e]) => e.run === run) || there[0];
      open(place);
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
  more.addEventListener("click", draw);
  order.addEventListener("change", select);
  view.addEventListener("change", select);
  search.addEventListener("input", select);
  document.querySelectorAll("[data-search]").forEach((button) => button.addEventListener("click", () => {
    search.value = button.dataset.search;
    select();
    byId("gallery-section").scrollIntoView();
  }));
  const names = [...new Set(data.rows.flatMap((row) => row.cells.flat().flatMap((shot) => shot[PICTURES].map(([name]) => name))))];
  view.append(...names.map((name, i) => make("option", { value: i ? name : "", text: `Show ${name}` })));
  view.parentElement.hidden = names.length < 2;
  select();
});
