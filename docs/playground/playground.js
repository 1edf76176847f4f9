// The page of the playground: fields, buttons, paths and the chart. `drawing.js` draws the network, `program.js` asks the program.
"use strict";

(() => {
  const place = document.getElementById("tulle-playground");
  const { ask, cancel } = Program;
  const { COLOURS, arrange } = Drawing;
  const START = { fabric: "slimfly:q=5", routing: "spread:layers=4", traffic: "permutation:bytes=64KiB", transport: "purified", seed: "0" };
  const NAMES = { fabric: "Network", routing: "Routing", traffic: "Traffic", transport: "Transport", seed: "Seed" };
  // Long specs may break after commas.
  const soft = (spec) => spec.replaceAll(",", ",\u200b");
  const make = (name, properties = {}, ...content) => {
    const found = Object.assign(document.createElement(name), properties);
    found.append(...content);
    return found;
  };

  const fields = {}, lists = {};
  const form = make("form");
  for (const [key, label] of Object.entries(NAMES)) {
    fields[key] = make("input", { value: START[key], autocomplete: "off", spellcheck: false });
    if (key !== "seed") {
      lists[key] = make("datalist", { id: `of-${key}` });
      fields[key].setAttribute("list", `of-${key}`);
      form.append(lists[key]);
    } else fields[key].inputMode = "numeric";
    form.append(make("label", {}, label, fields[key]));
  }
  const help = make("p");
  const buttons = {
    build: make("button", { type: "submit" }, "Build and route"),
    simulate: make("button", { type: "button" }, "Simulate"),
    restore: make("button", { type: "button" }, "Restore cables"),
    cancel: make("button", { type: "button", disabled: true }, "Cancel"),
  };
  form.append(make("div", { className: "buttons" }, ...Object.values(buttons)));
  const status = make("p", { tabIndex: -1 });
  status.setAttribute("role", "status");
  const canvas = make("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  // A user of a keyboard, or of a small screen, cannot click a switch in a dense drawing. So the page also has fields for the pair.
  const pair = ["Paths from switch", "to switch"].map((label) => {
    const field = make("input", { autocomplete: "off", spellcheck: false, size: 10 });
    return { field, label: make("label", {}, label, field) };
  });
  const pairs = make("form", {}, ...pair.map(({ label }) => label), make("button", { type: "submit" }, "Show"));
  const paths = make("div"), chart = make("div"), note = make("p");
  place.append(form, help, status, canvas, pairs, paths, chart, note);

  // `built` has the specs of the drawn network. The fields may already have other specs.
  const state = { busy: false, built: null, cut: [], chosen: [], drawing: null, at: [], paths: null };
  const seed = () => {
    if (!/^\d{1,15}$/.test(fields.seed.value)) throw new Error(`seed '${fields.seed.value}'; legal: 0 to 999999999999999`);
    return Number(fields.seed.value);
  };
  const entered = () => ({ fabric: fields.fabric.value.trim(), routing: fields.routing.value.trim(), seed: seed() });
  const routed = () => ({ ...state.built, cut: state.cut });

  async function busy(what, act) {
    if (state.busy) return;
    state.busy = true;
    const focused = document.activeElement;
    status.className = "";
    status.textContent = `${what} …`;
    buttons.cancel.disabled = false;
    for (const key of ["build", "simulate", "restore"]) buttons[key].disabled = true;
    try { await act(); } catch (error) {
      status.className = "wrong";
      status.textContent = error.message;
    }
    state.busy = false;
    buttons.cancel.disabled = true;
    for (const key of ["build", "simulate", "restore"]) buttons[key].disabled = false;
    // Disabled buttons and replaced buttons lose the focus.
    if (document.activeElement === document.body && focused !== document.body) (focused.isConnected ? focused : status).focus();
  }

  function toLink() {
    const specs = { ...Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.value])), ...state.built };
    const text = new URLSearchParams(Object.keys(fields).map((key) => [key, specs[key]]));
    if (state.cut.length) text.set("cut", state.cut.join("+"));
    if (state.chosen.length) text.set("pair", state.chosen.join("+"));
    history.replaceState(null, "", `#${text}`);
  }
  function fromLink() {
    const text = new URLSearchParams(location.hash.slice(1));
    for (const key of Object.keys(fields)) if (text.has(key)) fields[key].value = text.get(key);
    const ids = (key) => (text.get(key) ?? "").split(/[+ ]/).filter((each) => /^\d+$/.test(each)).map(Number);
    state.cut = ids("cut");
    state.chosen = ids("pair").slice(0, 2);
  }

  const draw = () => Drawing.draw(canvas, state);

  // Builds and routes a network. If it is refused, the drawn network stays.
  async function build(specs = entered(), cut = [], chosen = []) {
    const { routing, ...network } = specs;
    const fabric = await ask({ request: "fabric", ...network, cut });
    Object.assign(state, { built: specs, cut, chosen });
    state.drawing = fabric.drawing;
    state.at = arrange(fabric.drawing);
    state.chosen = state.chosen.filter((each) => each < state.at.length);
    canvas.setAttribute("aria-label", `${fabric.fabric}: ${fabric.switches} switches, ${fabric.cables} cables`);
    state.paths = null;
    draw();
    const route = await ask({ request: "route", ...routed() });
    const means = route.hops.map(({ mean }) => mean.toFixed(2)).slice(0, 16).join(", ");
    status.textContent = `${soft(fabric.fabric)}: ${fabric.switches} switches, ${fabric.endpoints} endpoints, ${fabric.cables} cables, ` +
      `diameter ${fabric.diameter ?? "none (not connected)"}. ${soft(route.routing)}: ` +
      (route.layers ? `${counted(route.layers, "layer")}; mean hops ${means}.` : `${route.paths} paths.`) +
      (state.cut.length ? ` Cut cables: ${state.cut.length}.` : "");
    await showPaths();
    toLink();
  }

  const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const names = () => state.chosen.map((each) => state.drawing.labels[each]);
  async function showPaths() {
    paths.replaceChildren();
    state.paths = null;
    pair.forEach(({ field }, at) => (field.value = names()[at] ?? ""));
    if (state.chosen.length === 2) {
      const [source, destination] = state.chosen;
      const found = (state.paths = await ask({ request: "paths", ...routed(), source, destination }));
      const rows = found.paths.map((path, row) => {
        const line = make("li", {}, `${found.form === "layers" ? "layer" : "path"} ${path.number}, ${counted(path.hops, "hop")}: ${found.source} `);
        // The colour of the path in the drawing. Text in these colours would be too pale.
        line.style.borderLeft = `4px ${row < COLOURS.length ? "solid" : "dashed"} ${COLOURS[row % COLOURS.length]}`;
        path.steps.forEach((step, hop) => {
          const scissors = make("button", { type: "button", title: `Cut ${step.cable}` }, "✂");
          scissors.setAttribute("aria-label", `Cut cable ${step.cable}`);
          scissors.onclick = () => busy("Rerouting", () => build(state.built, [...new Set([...state.cut, path.cables[hop]])], state.chosen));
          line.append(scissors, ` ${step.target} `);
        });
        return line;
      });
      paths.append(make("ul", {}, ...rows));
    }
    draw();
  }

  // Builds the network of the fields if they have changed. The cables and switches of another network have other ids.
  async function renew() {
    const specs = entered(), { built } = state;
    if (built && Object.keys(specs).every((key) => specs[key] === built[key])) return;
    const same = built?.fabric === specs.fabric && built.seed === specs.seed;
    await (same ? build(specs, state.cut, state.chosen) : build(specs));
  }

  async function simulate() {
    await renew();
    const request = { request: "simulate", ...routed(), traffic: fields.traffic.value.trim(), transport: fields.transport.value.trim() };
    const chosen = await ask(request), sets = [[chosen.routing.split(":")[0], chosen]];
    if (chosen.routing !== "minimal") sets.push(["minimal paths", await ask({ ...request, routing: "minimal" })]);
    const points = sets.flatMap(([name, { times_us }]) => times_us.map((time, at) => ({ name, time, share: (at + 1) / times_us.length })));
    chart.replaceChildren(Plot.plot({
      width: Math.min(640, place.clientWidth), height: 280, style: { background: "transparent" },
      x: { label: "flow completion time (µs)" }, y: { label: "fraction of flows", domain: [0, 1] },
      color: { domain: sets.map(([name]) => name), range: COLOURS, legend: true },
      marks: [Plot.lineY(points, { x: "time", y: "share", stroke: "name", curve: "step-after" })],
    }));
    const told = ([name, { completed, flows, fct_us }]) => `${name}: ${completed} of ${flows} flows, mean ${fct_us.mean?.toFixed(1)} µs, p99 ${fct_us.p99?.toFixed(1)} µs`;
    status.textContent = `${sets.map(told).join("; ")}.`;
    toLink();
  }

  const choose = (chosen) => busy("Paths", async () => {
    state.chosen = chosen;
    await showPaths();
    status.textContent = names().join(" to ") + (chosen.length === 1 ? ": choose a second switch." : ".");
    toLink();
  });
  const named = (text) => {
    const { labels } = state.drawing, at = labels.indexOf(text);
    if (at >= 0) return at;
    if (/^\d+$/.test(text) && Number(text) < labels.length) return Number(text);
    throw new Error(`switch '${text}'; legal: 0 to ${labels.length - 1}, or a name, for example ${labels[0]}`);
  };
  form.onsubmit = (event) => { event.preventDefault(); busy("Building and routing", () => build()); };
  buttons.simulate.onclick = () => busy("Simulating", simulate);
  buttons.restore.onclick = () => busy("Routing", () => build(state.built ?? undefined, [], state.chosen));
  buttons.cancel.onclick = cancel;
  pairs.onsubmit = (event) => {
    event.preventDefault();
    if (!state.drawing || state.busy) return;
    try { choose(pair.map(({ field }) => named(field.value.trim()))); } catch (error) {
      status.className = "wrong";
      status.textContent = error.message;
    }
  };
  canvas.onclick = ({ offsetX, offsetY }) => {
    if (!state.drawing || state.busy) return;
    const wide = canvas.clientWidth, far = ([x, y]) => Math.hypot((x * 0.95 + 1) * wide / 2 - offsetX, (y * 0.95 + 1) * wide / 2 - offsetY);
    const near = d3.leastIndex(state.at, (a, b) => far(a) - far(b));
    choose(state.chosen.length === 1 && state.chosen[0] !== near ? [state.chosen[0], near] : [near]);
  };
  addEventListener("resize", draw);
  fromLink();
  busy("Loading", async () => {
    const kinds = await ask({ request: "components" });
    for (const [key, list] of Object.entries(lists))
      list.append(...kinds[`${key}s`].flatMap(({ examples, summary }) => examples.map((value) => make("option", { value }, summary))));
    const explain = (key) => {
      const info = kinds[`${key}s`].find(({ name, aliases }) => [name, ...aliases].includes(fields[key].value.split(":")[0].trim()));
      help.textContent = info ? `${info.name}: ${info.summary}. ` + info.parameters.map(({ name, legal }) => `${name} (${legal})`).join("; ") : "";
    };
    for (const key of Object.keys(lists)) fields[key].addEventListener("focus", () => explain(key));
    for (const key of Object.keys(lists)) fields[key].addEventListener("input", () => explain(key));
    try { await build(entered(), state.cut, state.chosen); } finally {
      place.dataset.ready = "yes";
      keepOffline();
    }
  });

  // Stores the page's files in the browser, so that the page can be reloaded without a connection. Browsers allow this only on HTTPS and on
  // this machine.
  async function keepOffline() {
    if (!navigator.serviceWorker) return;
    navigator.serviceWorker.onmessage = () => {
      place.dataset.offline = "yes";
      note.textContent = "This page is stored in the browser: it also loads without an internet connection.";
    };
    await navigator.serviceWorker.register("playground-offline.js", { scope: "playground" });
    const { active } = await navigator.serviceWorker.ready;
    const files = [location.href.split("#")[0], ...performance.getEntriesByType("resource").map(({ name }) => name)];
    active.postMessage([...new Set(files)].filter((file) => file.startsWith(location.origin)));
  }
})();
