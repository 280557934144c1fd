// Keeps the page up to date: when the version of the report changes, its content is replaced.
// What the reader has opened, filtered and scrolled to stays.
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const PAUSE = 2000;
  const REPLACED = [".header h1", ".header .page-summary", ".header nav", "main", "body > footer"];
  let version = document.querySelector("meta[name=version]").content;
  const status = pixelproof.make("span", { class: "live", role: "status", text: "Live" });
  document.querySelector(".wordmark").after(status);

  const named = (details) => [details.closest("[id]")?.id, details.querySelector("summary")?.textContent].join("\n");
  const opened = () => new Map([...document.querySelectorAll("main details")].map((details) => [named(details), details.open]));

  function replace(next) {
    const open = opened(), top = scrollY, active = document.activeElement;
    const focused = active?.matches(".gallery-search") ? [active.closest(".gallery").id, active.selectionStart] : null;
    REPLACED.forEach((selector) => {
      const [before, after] = [document.querySelector(selector), next.querySelector(selector)];
      if (before && after) before.replaceWith(document.adoptNode(after));
    });
    document.title = next.title;
    document.querySelectorAll("main details").forEach((details) => {
      if (open.has(named(details))) details.open = open.get(named(details));
    });
    dispatchEvent(new Event("pixelproof:update"));
    scrollTo({ top, behavior: "instant" });
    const search = focused && document.getElementById(focused[0])?.querySelector(".gallery-search");
    if (search) { search.focus({ preventScroll: true }); search.setSelectionRange(focused[1], focused[1]); }
  }

  async function fetched(path) {
    const response = await fetch(path);
    if (!response.ok) throw new Error(await response.text());
    return response;
  }

  async function update() {
    try {
      const newest = (await (await fetched("/version")).json()).version;
      if (newest !== version && !document.querySelector("dialog[open]")) {
        const next = new DOMParser().parseFromString(await (await fetched("/")).text(), "text/html");
        version = next.querySelector("meta[name=version]").content;
        replace(next);
        status.textContent = `Live, updated ${new Date().toLocaleTimeString()}`;
      }
      status.classList.remove("stopped");
    } catch (error) {
      status.textContent = error instanceof TypeError ? "The server has stopped" : "Open the address that the server printed";
      status.classList.add("stopped");
    }
    setTimeout(update, PAUSE);
  }
  setTimeout(update, PAUSE);
});
