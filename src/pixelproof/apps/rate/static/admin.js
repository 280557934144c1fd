// The administrator's page: up to date every few seconds; invitations and changes of raters.
addEventListener("DOMContentLoaded", () => {
  "use strict";
  const PAUSE = 4000;
  const csrf = document.querySelector("meta[name=csrf-token]").content;
  const { make } = pixelproof;
  const $ = (id) => document.getElementById(id);
  const status = make("span", { class: "live", role: "status", text: "Live" });
  document.querySelector(".wordmark").after(status);

  async function update() {
    try {
      const response = await fetch("/admin");
      if (!response.ok) throw new Error();
      const next = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
      if (next && !$("live").contains(document.activeElement)) $("live").replaceWith(document.adoptNode(next));
      status.textContent = `Live, updated ${new Date().toLocaleTimeString()}`;
      status.classList.remove("stopped");
    } catch {
      status.textContent = "The server does not answer: open the address that it printed";
      status.classList.add("stopped");
    }
  }

  async function post(path, body) {
    const headers = { "X-CSRF-Token": csrf, "Content-Type": "application/json" };
    try {
      const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
      const { links } = await response.json();
      $("invite-status").textContent = "";
      $("links").prepend(...links.map(row));
      if (links.length) $("links").scrollIntoView({ block: "nearest" });
      document.activeElement?.blur();
      update();
      return true;
    } catch (error) {
      $("invite-status").textContent = error instanceof TypeError ? "The server does not answer." : error.message;
      $("invite-status").scrollIntoView({ block: "nearest" });
      return false;
    }
  }

  function row({ name, url }) {
    const copy = make("button", { type: "button", class: "more", text: "Copy" });
    copy.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(url); copy.textContent = "Copied"; } catch { getSelection().selectAllChildren(copy.previousSibling); }
    });
    return make("li", {}, make("b", { text: name }), make("code", { text: url }), copy);
  }

  $("make").addEventListener("click", async () => {
    const names = $("names").value.split("\n").map((name) => name.trim()).filter(Boolean);
    if (await post("/admin/invite", { names })) $("names").value = "";
  });
  document.addEventListener("click", (event) => {
    const { rater, action } = event.target.dataset ?? {};
    if (action) post("/admin/rater", { rater, action });
  });
  setInterval(update, PAUSE);
});
