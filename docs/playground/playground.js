// The page of the playground: asks the worker, draws the network and the flow completion times.
"use strict";

(() => {
  const place = document.getElementById("tulle-playground");
  if (!place) return;
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
  const START = { fabric: "slimfly:q=5", routing: "spread:layers=4", traffic: "permutation:bytes=64KiB", transport: "purified", seed: "0" };
  const NAMES = { fabric: "Network", routing: "Routing", traffic: "Traffic", transport: "Transport", seed: "Seed" };
  // Long specs may break after commas.
  const soft = (spec) => spec.replaceAll(",", ",\u200b");
  const make = (name, properties = {}, ...content) => {
    const found = Object.assign(document.createElement(name), properties);
    found.append(...content);
    return found;
  };

  // One request at a time. Cancel ends the worker, because the program cannot be interrupted.
  let worker, waiting = null, number = 0;
  function start() {
    worker = new Worker("playground/worker.js");
    worker.onerror = () => cancel("the program cannot be loaded");
    worker.onmessage = ({ data }) => {
      if (!waiting || data.number !== number) return;
      const { resolve, reject } = waiting;
      waiting = null;
      if (data.stopped) { worker.terminate(); start(); }
      if (data.error) reject(new Error(data.error));
      else resolve(data.answer);
    };
  }
  function cancel(why = "cancelled") {
    worker.terminate();
    const was = waiting;
    waiting = null;
    start();
    was?.reject(new Error(why));
  }
  const ask = (request) => new Promise((resolve, reject) => {
    waiting = { resolve, reject };
    worker.postMessage({ number: ++number, request });
  });

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
  const status = make("p");
  status.setAttribute("role", "status");
  const canvas = make("canvas", { tabIndex: 0 });
  canvas.setAttribute("role", "img");
  const paths = make("div"), chart = make("div");
  place.append(form, help, status, canvas, paths, chart);

  const state = { cut: [], chosen: [], drawing: null, at: [], paths: null };
  const seed = () => {
    if (!/^\d{1,15}$/.test(fields.seed.value)) throw new Error(`seed '${fields.seed.value}'; legal: 0 to 999999999999999`);
    return Number(fields.seed.value);
  };
  const network = () => ({ fabric: fields.fabric.value.trim(), cut: state.cut, seed: seed() });
  const routed = () => ({ ...network(), routing: fields.routing.value.trim() });

  async function busy(what, act) {
    if (waiting) return;
    status.className = "";
    status.textContent = `${what} …`;
    buttons.cancel.disabled = false;
    for (const key of ["build", "simulate", "restore"]) buttons[key].disabled = true;
    try { await act(); } catch (error) {
      status.className = "wrong";
      status.textContent = error.message;
    }
    buttons.cancel.disabled = true;
    for (const key of ["build", "simulate", "restore"]) buttons[key].disabled = false;
  }

  function toLink() {
    const text = new URLSearchParams(Object.entries(fields).map(([key, field]) => [key, field.value]));
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

  function arrange({ levels, groups, labels }) {
    const count = labels.length, most = Math.max(...levels), circle = (turn, radius) => [radius * Math.sin(2 * Math.PI * turn), -radius * Math.cos(2 * Math.PI * turn)];
    if (most > 0) {
      const total = Array(most + 1).fill(0), seen = Array(most + 1).fill(0);
      levels.forEach((level) => total[level]++);
      return levels.map((level) => [(2 * (seen[level]++ + 0.5)) / total[level] - 1, 0.8 - (1.6 * level) / most]);
    }
    const number = groups ? Math.max(...groups) + 1 : 1;
    if (number < 3 || number > count / 2) return labels.map((_, at) => circle(at / count, 0.95));
    const half = Math.sin(Math.PI / number), ring = 0.95 / (1 + half), size = Array(number).fill(0), seen = Array(number).fill(0);
    groups.forEach((group) => size[group]++);
    return groups.map((group) => {
      const [x, y] = circle(group / number, ring), [dx, dy] = circle(seen[group]++ / size[group] + group / number, 0.65 * ring * half);
      return [x + dx, y + dy];
    });
  }

  function draw() {
    const { drawing, at, chosen } = state;
    if (!drawing) return;
    const wide = canvas.clientWidth, scale = devicePixelRatio || 1, style = getComputedStyle(place).color;
    canvas.width = canvas.height = wide * scale;
    const pen = canvas.getContext("2d"), xy = (switch_) => at[switch_].map((value) => (value * 0.95 + 1) * wide * scale / 2);
    const line = (a, b, bend = 0) => {
      const [x, y] = xy(a), [u, v] = xy(b);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.quadraticCurveTo((x + u) / 2 + bend * (v - y), (y + v) / 2 - bend * (u - x), u, v);
      pen.stroke();
    };
    pen.strokeStyle = style;
    pen.lineWidth = scale / 2;
    pen.globalAlpha = Math.max(0.06, Math.min(0.5, 60 / Math.sqrt(drawing.ends.length * 20)));
    drawing.ends.forEach(([a, b]) => line(a, b));
    pen.globalAlpha = 1;
    pen.lineWidth = 2 * scale;
    (state.paths?.paths ?? []).forEach(({ switches }, row) => {
      pen.strokeStyle = COLOURS[row % COLOURS.length];
      pen.setLineDash(row < COLOURS.length ? [] : [6 * scale, 3 * scale]);
      switches.slice(1).forEach((to, hop) => line(switches[hop], to, 0.02 * row));
    });
    pen.setLineDash([]);
    const radius = Math.max(1.5, Math.min(6, 90 / Math.sqrt(at.length))) * scale;
    at.forEach((_, each) => {
      const [x, y] = xy(each);
      pen.beginPath();
      pen.arc(x, y, chosen.includes(each) ? 1.8 * radius : radius, 0, 2 * Math.PI);
      pen.fillStyle = chosen.includes(each) ? COLOURS[1] : style;
      pen.fill();
    });
  }

  async function build() {
    const fabric = await ask({ request: "fabric", ...network() });
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
      (route.layers ? `${route.layers} layer${route.layers === 1 ? "" : "s"}; mean hops ${means}.` : `${route.paths} paths.`) +
      (state.cut.length ? ` Cut cables: ${state.cut.length}.` : "");
    await showPaths();
    toLink();
  }

  async function showPaths() {
    paths.replaceChildren();
    state.paths = null;
    if (state.chosen.length === 2) {
      const [source, destination] = state.chosen;
      const found = (state.paths = await ask({ request: "paths", ...routed(), source, destination }));
      const rows = found.paths.map((path, row) => {
        const line = make("li", {}, `${found.form === "layers" ? "layer" : "path"} ${path.number}, ${path.hops} hops: ${found.source} `);
        line.style.color = COLOURS[row % COLOURS.length];
        path.steps.forEach((step, hop) => {
          const scissors = make("button", { type: "button", title: `Cut ${step.cable}` }, "✂");
          scissors.setAttribute("aria-label", `Cut cable ${step.cable}`);
          scissors.onclick = () => busy("Rerouting", () => { state.cut = [...new Set([...state.cut, path.cables[hop]])]; return build(); });
          line.append(scissors, ` ${step.target} `);
        });
        return line;
      });
      paths.append(make("ul", {}, ...rows));
    }
    draw();
  }

  async function simulate() {
    const request = { request: "simulate", ...routed(), traffic: fields.traffic.value.trim(), transport: fields.transport.value.trim() };
    const chosen = await ask(request), minimal = await ask({ ...request, routing: "minimal" });
    const sets = [[chosen.routing.split(":")[0], chosen], ["minimal paths", minimal]];
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

  form.onsubmit = (event) => { event.preventDefault(); state.cut = []; state.chosen = []; busy("Building and routing", build); };
  buttons.simulate.onclick = () => busy("Simulating", simulate);
  buttons.restore.onclick = () => busy("Routing", () => { state.cut = []; return build(); });
  buttons.cancel.onclick = () => cancel();
  canvas.onclick = ({ offsetX, offsetY }) => {
    if (!state.drawing || waiting) return;
    const wide = canvas.clientWidth, far = ([x, y]) => Math.hypot((x * 0.95 + 1) * wide / 2 - offsetX, (y * 0.95 + 1) * wide / 2 - offsetY);
    const near = d3.leastIndex(state.at, (a, b) => far(a) - far(b));
    state.chosen = state.chosen.length === 1 && state.chosen[0] !== near ? [state.chosen[0], near] : [near];
    busy("Paths", async () => {
      await showPaths();
      status.textContent = state.chosen.map((each) => state.drawing.labels[each]).join(" to ") + (state.chosen.length === 1 ? ": click a second switch." : ".");
      toLink();
    });
  };
  addEventListener("resize", draw);
  start();
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
    await build();
    place.dataset.ready = "yes";
  });
})();
