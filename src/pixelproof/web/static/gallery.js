// Galleries: rows of items, columns of answerers, and controls to order and filter them.
{
  "use strict";
  const AT_ONCE = 20, EXCERPT = 60, EXCERPT_OF_TEXTS = 240;
  const remembered = new Map(); // id of a gallery → what its reader has chosen, which outlives an update of the page

  pixelproof.each(".gallery", (root) => {
    const { make, count } = pixelproof;
    const { SAMPLE, OUTCOME, KIND, IMAGES, LEFT_OUT, NUMBERS, TEXT } = pixelproof.fields;
    const data = JSON.parse(root.querySelector("script").textContent);
    const find = (name) => root.querySelector(`.gallery-${name}`);
    const rowsBox = find("rows"), more = find("more"), total = find("count");
    const order = find("order"), view = find("view"), search = find("search");
    const lightbox = pixelproof.lightbox(root, data);
    const samples = Math.max(1, ...data.rows.flatMap((row) => row.cells.map((cell) => cell.length)));
    const given = [...new Set(data.rows.flatMap((row) => row.given.map(([name]) => name)))];
    rowsBox.style.setProperty("--columns", data.columns.length);
    rowsBox.style.setProperty("--across", Math.min(3, samples));
    rowsBox.style.setProperty("--given", given.length);
    rowsBox.classList.toggle("with-given", given.length > 0);
    rowsBox.classList.toggle("alone", data.columns.length === 1);
    // Where no answer has an image, replies are set to be read, each with its value.
    const texts = data.rows.every((row) => row.cells.every((cell) => cell.every((entry) => !entry[IMAGES].length && !entry[LEFT_OUT])));
    rowsBox.classList.toggle("texts", texts);

    // Rows in their order, how many of them are drawn, and all their answers in a line for the arrow keys.
    let rows = [], line = [], drawn = 0;
    const failed = (entry) => entry[KIND] === "failed";
    const failures = (row) => row.cells.flat().filter(failed).length;
    const words = new Map(data.rows.map((row) => [row, [row.label, row.about, row.item, row.request,
      ...row.cells.flat().map((entry) => entry[OUTCOME])].join("\n").toLowerCase()]));

    // The mean of the first metric over the judged columns; a failure counts as the worst value in the gallery.
    const value = (entry) => (entry[NUMBERS].length && entry[NUMBERS][0][0] === 0 ? entry[NUMBERS][0][1] * data.sign : null);
    const judged = (row) => data.judged.flatMap((column) => row.cells[column]).filter((entry) => failed(entry) || value(entry) !== null);
    const worst = data.rows.flatMap(judged).reduce((least, entry) => Math.min(least, value(entry) ?? Infinity), Infinity);
    const merit = new Map(data.rows.map((row) => [row, judged(row).length
      ? judged(row).reduce((sum, entry) => sum + (value(entry) ?? worst), 0) / judged(row).length : Infinity]));

    function select(atLeast = 0) {
      const wanted = search.value.trim().toLowerCase();
      rows = data.rows.filter((row) => words.get(row).includes(wanted));
      if (order.value === "only") rows = rows.filter(failures);
      if (order.value === "worst") rows.sort((a, b) => (merit.get(a) === merit.get(b) ? 0 : merit.get(a) - merit.get(b)));
      else if (order.value !== "asked") rows.sort((a, b) => failures(b) - failures(a));
      line = [];
      rows.forEach((row, r) => row.cells.forEach((cell, column) => cell.forEach((entry) => {
        if (order.value !== "only" || failed(entry)) line.push({ row, r, column, entry });
      })));
      rowsBox.replaceChildren(...(data.columns.length > 1 || given.length ? [head()] : []));
      drawn = 0;
      do draw(); while (drawn < Math.min(atLeast, rows.length));
      total.textContent = `${count(rows.length)} of ${count(data.rows.length)} items`;
      if (!rows.length) rowsBox.append(make("p", { class: "empty", text: data.rows.length ? "Nothing matches." : "No answers yet." }));
    }

    function head() {
      const names = data.columns.map((column) => make("div", { class: "column-name" }, ...named(column)));
      const own = given.map((name) => make("div", { class: "column-name", text: name }));
      return make("div", { class: "gallery-row gallery-head", "aria-hidden": "true" }, make("div"), ...own, ...names);
    }

    // Narrow columns break a name after its slashes.
    const named = ([key, name]) => [make("span", { class: "badge", text: key }),
      make("span", {}, ...name.split(/(?<=\/)/).flatMap((part, i) => (i ? [make("wbr"), part] : [part])))];

    function draw() {
      const next = rows.slice(drawn, drawn + AT_ONCE);
      const places = new Map(line.map((other, i) => [other.entry, i]));
      next.forEach((row) => rowsBox.append(drawRow(row, places)));
      drawn += next.length;
      more.hidden = drawn >= rows.length;
      more.textContent = `Show ${Math.min(AT_ONCE, rows.length - drawn)} more of ${rows.length - drawn}`;
      remembered.set(root.id, { search: search.value, order: order.value, view: view.value, drawn });
    }

    function drawRow(row, places) {
      const label = make("div", { class: "gallery-label" }, row.label, make("small", { text: row.about }));
      const cells = row.cells.map((cell, column) => make("div", { class: "gallery-cell" },
        make("span", { class: "cell-name" }, ...named(data.columns[column])),
        make("div", { class: "shots" }, ...cell.filter((entry) => places.has(entry))
          .map((entry) => thumbnail(row, column, entry, places.get(entry))))));
      const request = row.request ? make("p", { class: "gallery-request", text: row.request }) : null;
      return make("div", { class: "gallery-row" }, request, label, ...given.map((name) => own(row, name, places)), ...cells);
    }

    // An image of the item itself; it opens the first answer of the row, with this image enlarged.
    function own(row, name, places) {
      const image = row.given.find(([other]) => other === name);
      const first = row.cells.flat().find((entry) => places.has(entry));
      if (!image) return make("div");
      const title = `${row.label}: ${name}`;
      const button = make("button", { type: "button", class: "own", title }, make("span", { class: "unseen", text: title }),
        make("span", { class: "frame" }, lightbox.image(image[1], "")), make("span", { class: "name", text: name }));
      button.addEventListener("click", () => lightbox.open(line, places.get(first), button, name));
      return button;
    }

    function thumbnail(row, column, entry, place) {
      const name = `${row.label}, ${data.columns[column][1]}, sample ${entry[SAMPLE] + 1}: ${entry[OUTCOME]}`;
      const score = (texts || order.value === "worst") && value(entry) !== null
        ? `${texts ? `${data.metrics[0]} ` : ""}${(value(entry) * data.sign).toLocaleString("en", { maximumSignificantDigits: 4 })}` : null;
      const button = make("button", { type: "button", class: `shot ${entry[KIND]}`, title: name },
        make("span", { class: "unseen", text: name }),
        frame(entry), chosen(entry) ? make("span", { class: "name", text: chosen(entry)[0] }) : null,
        entry[KIND] ? make("span", { class: "outcome", text: entry[OUTCOME] }) : null,
        score === null ? null : make("span", { class: "score", text: score }));
      button.addEventListener("click", () => lightbox.open(line, place, button));
      return button;
    }

    // The image that is chosen, or the first; without any, the beginning of the reply.
    const chosen = (entry) => (view.value ? entry[IMAGES].find(([name]) => name === view.value) : entry[IMAGES][0]);
    function frame(entry) {
      const shown = chosen(entry);
      if (shown) return make("span", { class: "frame" }, lightbox.image(shown[1], ""));
      if (entry[LEFT_OUT]) return make("span", { class: "frame", text: "not in this page" });
      const begins = entry[TEXT].trim().slice(0, texts ? EXCERPT_OF_TEXTS : EXCERPT);
      return make("span", { class: begins ? "frame excerpt" : "frame", text: begins || data.missing });
    }

    // A line per answer of the rows that are selected, with every number.
    function download() {
      // A text that a spreadsheet would take for a formula begins with an apostrophe.
      const safe = (value) => (typeof value === "string" && /^[=+@\t\r-]/.test(value) ? `'${value}` : String(value ?? ""));
      const cell = (value) => { const text = safe(value); return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };
      const lines = line.map(({ row, column, entry }) => {
        const numbers = new Map(entry[NUMBERS]);
        return [row.item, row.label, ...data.columns[column], entry[SAMPLE], entry[OUTCOME], ...data.metrics.map((_, i) => numbers.get(i))];
      });
      const text = [["item", "label", "run", "model", "sample", "outcome", ...data.metrics], ...lines].map((cells) => `${cells.map(cell).join(",")}\r\n`);
      const link = make("a", { href: URL.createObjectURL(new Blob(text, { type: "text/csv" })), download: `${root.id}.csv` });
      link.click();
      URL.revokeObjectURL(link.href);
    }

    find("csv").addEventListener("click", download);
    more.addEventListener("click", draw);
    order.addEventListener("change", () => select());
    view.addEventListener("change", () => select(drawn));
    search.addEventListener("input", () => select());
    // Names of outcomes in the same part of the page filter the gallery.
    const scope = root.closest("[data-gallery-scope]") || document;
    scope.querySelectorAll("[data-search]").forEach((button) => button.addEventListener("click", () => {
      search.value = button.dataset.search;
      select();
      root.scrollIntoView();
    }));
    const names = [...new Set(data.rows.flatMap((row) => row.cells.flat().flatMap((entry) => entry[IMAGES].map(([name]) => name))))];
    view.append(...names.map((name, i) => make("option", { value: i ? name : "", text: `Show ${name}` })));
    view.parentElement.hidden = names.length < 2;
    const before = remembered.get(root.id);
    if (before) [search.value, order.value, view.value] = [before.search, before.order, before.view];
    select(before ? before.drawn : 0);
  });
}
