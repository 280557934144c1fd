// Helpers that the other scripts share. Text enters a page by textContent alone.
const pixelproof = {
  make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "text") element.textContent = value;
      else if (value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  },
  count: (number) => number.toLocaleString("en"),
  // Fields of an entry, in the order of `_plain` in `_gallery.py`.
  fields: Object.fromEntries(["SAMPLE", "OUTCOME", "KIND", "DETAIL", "NOTES", "IMAGES", "LEFT_OUT", "NUMBERS", "TEXT", "LENGTH",
    "PROMPT", "TRACE"].map((name, i) => [name, i])),
  // The section that the address names is opened, if it is folded.
  unfold() {
    const section = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    section?.querySelector(":scope > details")?.setAttribute("open", "");
  },
  // Call a function for every element that matches, now and whenever `pixelproof:update` says that there is new content.
  each(selector, start) {
    const begun = new WeakSet();
    const scan = () => document.querySelectorAll(selector).forEach((element) => {
      if (!begun.has(element)) { begun.add(element); start(element); }
    });
    addEventListener("DOMContentLoaded", scan);
    addEventListener("pixelproof:update", scan);
  },
};
addEventListener("hashchange", pixelproof.unfold);
addEventListener("DOMContentLoaded", pixelproof.unfold);
