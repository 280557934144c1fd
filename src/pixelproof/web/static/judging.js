// Requests of a page that must not be lost: one that fails is sent again as it was, until the server has answered.
function sender(say) {
  "use strict";
  const csrf = document.querySelector("meta[name=csrf-token]").content;
  const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
  return async function post(path, body) {
    for (let turn = 0; ; turn += 1) {
      try {
        const headers = { "X-CSRF-Token": csrf, "Content-Type": "application/json" };
        const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
        if (response.ok) return await response.json();
        if (response.status === 401) { say("Your link is no longer valid: open it again, or ask for a new one.", true); return null; }
        if (response.status < 500 && response.status !== 429) { say(await response.text(), true); return null; }
      } catch { /* no connection, or the server starts again: send the same request once more */ }
      say("Not stored yet: there is no connection. Trying again …", true);
      await pause(Math.min(8000, 500 * 2 ** turn));
    }
  };
}

// Changes of what the server keeps, one at a time: `change` posts a request, says the note of its outcome, and gives `show` the new state.
pixelproof.judging = (notes, show) => {
  "use strict";
  const status = document.getElementById("status");
  const say = (text, wrong = false) => { status.textContent = text; status.classList.toggle("wrong", wrong); };
  const post = sender(say);
  let busy = false;
  async function change(path, body) {
    if (busy) return;
    busy = true;
    document.body.classList.add("rate-busy");
    try {
      const next = await post(path, body);
      if (!next) return;
      say(notes[next.outcome] ?? "");
      await show(next);
    } finally {
      busy = false;
      document.body.classList.remove("rate-busy");
    }
  }
  return { change, isBusy: () => busy };
};
