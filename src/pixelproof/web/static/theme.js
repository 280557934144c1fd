// Light and dark: what the system prefers, unless the reader has chosen.
(() => {
  "use strict";
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("pixelproof-theme"); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem("pixelproof-theme", theme); } catch { /* files may have no storage */ } };
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const name = () => {
      button.textContent = dark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `Switch to the ${dark() ? "light" : "dark"} theme`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      store(root.dataset.theme);
      name();
    });
    system.addEventListener("change", name);
    name();
  });
})();
