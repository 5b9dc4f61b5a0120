// Puts the page together, and listens to the keys.

function follow(view) {
  const events = new EventSource("events?after=" + view.model.all.length);
  events.addEventListener("message", (event) => view.grow(JSON.parse(event.data)));
  // Whoever shared it has stopped; the page stays as it is.
  let failed = 0;
  events.addEventListener("open", () => (failed = 0));
  events.addEventListener("error", () => ++failed > 15 && events.close());
  // Something that is shown was redacted, or the session went on elsewhere.
  events.addEventListener("changed", () => location.reload());
}

function toggle(button, name) {
  button.addEventListener("click", () => {
    const hides = document.body.classList.toggle(name);
    button.setAttribute("aria-pressed", String(!hides));
  });
}

document.getElementById("app").classList.remove("hidden");
const view = new View(readModel());
const search = new Search(view);
toggle(document.getElementById("tools"), "no-tools");
toggle(document.getElementById("thinking"), "no-thinking");
document.getElementById("branches").addEventListener("click", () => {
  document.body.classList.toggle("tree-open");
  view.tree.draw();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".tree, #branches")) document.body.classList.remove("tree-open");
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(?:INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
  const does = { "/": () => search.input.focus(), j: () => view.tree.move(1), k: () => view.tree.move(-1), n: () => search.step(1), N: () => search.step(-1), Escape: () => document.body.classList.remove("tree-open") }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
if (document.body.dataset.live) follow(view);
document.documentElement.dataset.ready = "yes";
