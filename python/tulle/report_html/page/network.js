// Explores a network: a switch and its cables, two switches and their paths, and a cut cable.
"use strict";

const tulleNetwork = (() => {
  const { COLOURS, DASHES, format } = tulleCharts;
  const element = (name, content, properties = {}) => {
    const found = document.createElement(name);
    found.append(...[content].flat());
    for (const [key, value] of Object.entries(properties)) {
      if (key.includes("-") || key === "role" || key === "scope") found.setAttribute(key, value);
      else found[key] = value;
    }
    return found;
  };
  const button = (text, act, label) =>
    element("button", text, { type: "button", onclick: act, ...(label ? { "aria-label": label } : {}) });
  const plural = (count, one, several = `${one}s`) => `${format(count)} ${count === 1 ? one : several}`;

  // Returns the background that shows the colour and the dashes of a path, as in the drawing.
  const key = (number) => {
    const colour = COLOURS[number % COLOURS.length];
    const [on, off] = DASHES[Math.floor(number / COLOURS.length) % DASHES.length].split(" ").map(Number);
    return on ? `repeating-linear-gradient(90deg, ${colour} 0 ${on}px, transparent ${on}px ${on + off}px)` : colour;
  };

  // Adds what follows from the data: the first channel of each switch, the cable of each channel, texts.
  async function prepared(data) {
    const network = { ...data };
    const names = Object.keys(data.arrays);
    const arrays = await Promise.all(names.map((name) => tulleForwarding.unpack(data.arrays[name])));
    names.forEach((name, at) => (network[name] = [...arrays[at]]));
    const { degree, reverse } = network;
    network.start = [0];
    network.source = [];
    degree.forEach((count, at) => {
      network.start.push(network.start[at] + count);
      for (let each = 0; each < count; each++) network.source.push(at);
    });
    const { source } = network;
    // A cable is named by the lower of its two channels.
    const cables = (network.cables = d3.range(source.length).filter((channel) => channel < reverse[channel]));
    network.cableOf = new Int32Array(source.length);
    cables.forEach((channel, row) => {
      network.cableOf[channel] = row;
      network.cableOf[reverse[channel]] = row;
    });
    network.pathsOver = (row) => format(network.paths_over[row] / 100);
    network.port = (channel) =>
      data.ports ? data.ports[channel] : String(channel - network.start[source[channel]]);
    network.cableName = (row) =>
      `${data.switches[source[cables[row]]]}–${data.switches[network.target[cables[row]]]}`;
    network.describe = (at) =>
      `${data.switches[at]}: ${plural(network.start[at + 1] - network.start[at], "cable")}, ` +
      `${plural(network.endpoints[at], "endpoint")}, ${data.racks[network.rack[at]]}`;
    return network;
  }

  function table(caption, heads, rows) {
    const region = element(
      "div",
      element("table", [
        element("caption", caption),
        element("thead", element("tr", heads.map((head) => element("th", head, { scope: "col" })))),
        element("tbody", rows.map((cells) => element("tr", cells.map((cell) => element("td", cell ?? "–"))))),
      ]),
      { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    );
    tulleTables.withArrows(region, rows.length);
    return region;
  }

  class Explorer {
    constructor(place, network, forwarding) {
      this.network = network;
      this.forwarding = forwarding;
      this.chosen = [];
      this.cut = null;
      this.changes = null;
      this.status = element("p", "", { role: "status", tabIndex: -1 });
      this.details = element("div", "");
      const canvas = element("div", "", { className: "canvas" });
      const panel = element("div", [this.status, this.details], { className: "panel" });
      place.append(this.controls(), element("div", [canvas, panel], { className: "explorer" }));
      this.view = new tulleView(canvas, this.network, (at) => this.choose(at));
      canvas.append(element("p", this.legend(), { className: "legend" }));
      this.show();
    }

    legend() {
      const { endpoints } = this.network;
      const without = endpoints.filter((count) => !count).length;
      return without
        ? "Filled circles: switches with endpoints. Empty circles: switches without endpoints."
        : "Circles: switches, all with endpoints. Lines: cables.";
    }

    controls() {
      const { network } = this;
      const list = element("datalist", network.switches.map((name) => element("option", "", { value: name })));
      list.id = `switches-${(Explorer.count = (Explorer.count ?? 0) + 1)}`;
      this.fields = ["From switch", "To switch"].map((label, at) => {
        const field = element("input", "", { type: "text", autocomplete: "off" });
        field.setAttribute("list", list.id);
        field.addEventListener("change", () => this.typed(at, field));
        return [element("label", [label, field]), field];
      });
      const select = element(
        "select",
        network.arrangements.map((each, at) => element("option", each.name, { value: at })),
        { onchange: () => { this.view.arrange(Number(select.value)); this.show(); } },
      );
      return element(
        "div",
        [
          ...this.fields.map(([label]) => label),
          element("label", ["Arrangement", select]),
          button("Clear", () => this.clear()),
          list,
        ],
        { className: "controls" },
      );
    }

    typed(at, field) {
      const found = this.network.switches.indexOf(field.value.trim());
      field.setCustomValidity(found < 0 && field.value ? `no switch '${field.value}'` : "");
      field.reportValidity();
      const chosen = [...this.chosen];
      if (!field.value) chosen.splice(at, 1);
      else if (found >= 0) chosen[Math.min(at, chosen.length)] = found;
      this.chosen = chosen[0] === chosen[1] ? chosen.slice(0, 1) : chosen;
      this.show();
    }

    choose(at) {
      this.chosen = this.chosen.length === 1 && this.chosen[0] !== at ? [this.chosen[0], at] : [at];
      this.show();
    }

    clear() {
      this.chosen = [];
      this.restore();
    }

    restore() {
      this.cut = null;
      this.changes = null;
      this.show();
    }

    async cutCable(row) {
      this.cut = row;
      this.changes = null;
      const computed = this.computed();
      if (computed?.changes) this.changes = await tulleForwarding.changes(this.network.switches.length, computed.changes);
      this.show();
    }

    computed() {
      return this.network.routing?.cuts.find((each) => each.cable === this.cut);
    }

    show() {
      const { network, chosen, cut } = this;
      this.fields.forEach(([, field], at) => {
        field.value = chosen[at] === undefined ? "" : network.switches[chosen[at]];
        field.setCustomValidity("");
      });
      const parts = [];
      let [cables, paths] = [[], []];
      const said = [];
      if (cut !== null) {
        const [text, part] = this.afterCut();
        said.push(text);
        parts.push(...part);
      }
      if (chosen.length === 1) {
        cables = d3.range(network.start[chosen[0]], network.start[chosen[0] + 1]);
        said.push(network.describe(chosen[0]) + ". Choose a second switch to see the paths.");
        parts.push(this.cablesOf(chosen[0]));
      } else if (chosen.length === 2 && this.forwarding) {
        const found = this.paths();
        paths = found.drawn;
        said.push(found.text);
        parts.push(...found.parts);
      } else if (chosen.length === 2) {
        said.push(`${chosen.map((at) => network.switches[at]).join(" to ")}: this report has no routing of this network.`);
      }
      if (!chosen.length && cut === null) {
        said.push(this.overview());
        parts.push(...this.suggestions());
      }
      // If the pressed button is replaced, the focus moves to the result. Otherwise, keyboards and screen readers would start anew.
      const focused = this.details.contains(document.activeElement);
      this.status.textContent = said.join(" ");
      this.details.replaceChildren(...parts);
      if (focused) this.status.focus();
      this.view.show({ chosen, cables, paths, cut });
    }

    overview() {
      const { network } = this;
      const { routing } = network;
      const endpoints = d3.sum(network.endpoints);
      const text =
        `${plural(network.switches.length, "switch", "switches")}, ${plural(endpoints, "endpoint")}, ` +
        `${plural(network.cables.length, "cable")} between switches` +
        (network.faults.length ? `, after failures (${network.faults.join(", ")}).` : ".");
      if (!routing) return text;
      const what = routing.form === "layers" ? "layer" : "path per pair";
      const several = routing.form === "layers" ? "layers" : "paths per pair";
      const kept =
        routing.kept === routing.of
          ? `${plural(routing.of, what, several)}.`
          : `the first ${routing.kept} of ${routing.of} ${several}; the others would make this file too large.`;
      return `${text} Routing ${routing.spec}: ${kept}`;
    }

    suggestions() {
      const { routing } = this.network;
      const cuts = routing?.cuts.filter((each) => !each.problem) ?? [];
      if (!cuts.length) return [];
      const rows = cuts.map((each) => [
        this.network.cableName(each.cable),
        this.className(each.cable),
        this.network.pathsOver(each.cable),
        `${format(each.touched)} of ${format(each.entries)}`,
        this.cutButton(each.cable),
      ]);
      const what = routing.form === "layers" ? "entries changed" : "paths removed";
      const heads = ["cable", "class", "paths over it", what, ""];
      const parts = [
        element("p", "Any cable can be cut. For these cables, the report also has the rerouting:"),
        table("Cables with a computed rerouting", heads, rows),
      ];
      return [element("div", parts, { className: "suggestions" })];
    }

    className(row) {
      return this.network.classes[this.network.class[row]] ?? "–";
    }

    cutButton(row) {
      return row === this.cut
        ? button("Restore", () => this.restore(), `Restore cable ${this.network.cableName(row)}`)
        : button("Cut", () => this.cutCable(row), `Cut cable ${this.network.cableName(row)}`);
    }

    cablesOf(at) {
      const { network } = this;
      const rows = d3.range(network.start[at], network.start[at + 1]).map((channel) => {
        const row = network.cableOf[channel];
        const other = network.target[channel];
        return [
          network.port(channel),
          button(network.switches[other], () => this.choose(other), `Paths to ${network.switches[other]}`),
          network.port(network.reverse[channel]),
          this.className(row),
          `${format(network.length_mm[row] / 1000)} m`,
          network.media[network.medium[row]],
          network.routing ? network.pathsOver(row) : "–",
          this.cutButton(row),
        ];
      });
      const heads = ["port", "to", "its port", "class", "length", "medium", "paths over it", ""];
      return table(`Cables of ${network.switches[at]}`, heads, rows);
    }

    paths() {
      const { network, chosen, cut, changes } = this;
      const { routing } = network;
      const [from, to] = chosen;
      const layers = routing.form === "layers";
      const name = (number) => (layers ? `layer ${number}` : `path ${number + 1}`);
      const found = this.forwarding.paths(from, to, cut, changes);
      const before = cut === null ? null : this.forwarding.paths(from, to, null, null);
      const used = new Map();
      const rows = [];
      const drawn = [];
      for (const path of found) {
        const colour = COLOURS[path.number % COLOURS.length];
        path.channels.forEach((channel) => {
          const row = network.cableOf[channel];
          used.set(row, [...(used.get(row) ?? []), path.number]);
        });
        drawn.push({ ...path, colour });
        const old = before?.find((each) => each.number === path.number);
        const changed = old && (path.broken !== null || String(old.channels) !== String(path.channels));
        rows.push([
          [element("span", "", { className: "swatch", style: `background:${key(path.number)}` }), name(path.number)],
          path.broken === null ? plural(path.channels.length, "hop") : element("span", "broken", { className: "broken" }),
          this.walk(from, path),
          ...(before ? [path.broken !== null ? "breaks" : changed ? "changed" : "as before"] : []),
        ]);
      }
      const shared = [...used].filter(([, numbers]) => numbers.length > 1);
      const whole = found.filter((path) => path.broken === null).length;
      const hops = found.filter((path) => path.broken === null).map((path) => path.channels.length);
      const lengths = hops.length ? ` of ${d3.min(hops)}${d3.max(hops) > d3.min(hops) ? ` to ${d3.max(hops)}` : ""} hops` : "";
      const text =
        `${network.switches[from]} to ${network.switches[to]}: ` +
        (cut === null
          ? `${plural(whole, "path")}${lengths}.`
          : `${whole} of ${found.length} paths work ${this.changes ? "after" : "before"} rerouting${lengths.replace(" of", ", with")}.`);
      const cables = [...used.keys()].sort((a, b) => used.get(b).length - used.get(a).length || a - b);
      const heads = [layers ? "layer" : "path", "length", "switches and ports", ...(before ? ["after the cut"] : [])];
      return {
        drawn,
        text,
        parts: [
          table(`Paths from ${network.switches[from]} to ${network.switches[to]}`, heads, rows),
          ...(cables.length ? [element(
            "p",
            shared.length
              ? `${plural(shared.length, "cable")} ${shared.length === 1 ? "is" : "are"} on more than one path.`
              : "No two paths share a cable.",
          ), table(
            "Cables of these paths",
            ["cable", "class", layers ? "layers" : "paths", ""],
            cables.map((row) => [
              network.cableName(row),
              this.className(row),
              used.get(row).map((number) => (layers ? number : number + 1)).join(", "),
              this.cutButton(row),
            ]),
          )] : []),
        ],
      };
    }

    walk(from, path) {
      const { network } = this;
      const parts = [network.switches[from]];
      path.channels.forEach((channel, hop) => {
        const equal = path.others[hop] > 1 ? `, 1 of ${path.others[hop]} equal` : "";
        parts.push(` –[${network.port(channel)}${equal}]→ ${network.switches[network.target[channel]]}`);
      });
      if (path.broken !== null) parts.push(" –✕ cut");
      return parts.join("");
    }

    afterCut() {
      const { network, cut } = this;
      const { routing } = network;
      const restore = button("Restore the cable", () => this.restore());
      const text = `Cable ${network.cableName(cut)} is cut.`;
      if (!this.forwarding) return [text, [restore]];
      const effect = this.forwarding.effect(cut);
      const hosts = network.endpoints.filter(Boolean).length;
      const layers = routing.form === "layers";
      const pairs = hosts * (hosts - 1);
      const parts = [
        element("h4", "At once"),
        element(
          "p",
          `${format(effect.some)} of ${format(pairs)} pairs of switches lose ${layers ? "a layer" : "a path"}; ` +
            `${format(effect.every)} lose all. ${layers ? "Groups of equal cost use their other ports." : ""}`,
        ),
        element("h4", "After rerouting"),
      ];
      const computed = this.computed();
      if (!computed) {
        parts.push(
          element("p", `Not computed for this cable. The report has ${plural(routing.cuts.length, "cable")} with a rerouting; tulle report --cuts N computes N.`),
        );
      } else if (computed.problem) parts.push(element("p", computed.problem));
      else {
        const what = layers
          ? `${format(computed.touched)} of ${format(computed.entries)} table entries change (${format(computed.broken)} had to).`
          : `${format(computed.touched)} of ${format(computed.entries)} paths are removed, ${format(computed.added)} new paths are added.`;
        parts.push(
          element(
            "p",
            `${what} The busiest channel carries ${plural(computed.busiest_after, "path")}` +
              (computed.busiest_after === computed.busiest_before ? ", as before." : ` instead of ${format(computed.busiest_before)}.`) +
              ` The longest path has ${plural(computed.longest_after, "hop")}` +
              (computed.longest_after === computed.longest_before ? ", as before." : ` instead of ${computed.longest_before}.`),
          ),
        );
      }
      return [text, [...parts, restore]];
    }
  }

  return async (place, data) => {
    if (!("DecompressionStream" in window)) {
      place.append(
        element("p", "This browser cannot unpack the network; current versions of Chrome, Edge, Firefox and Safari can."),
      );
      return;
    }
    const network = await prepared(data);
    new Explorer(place, network, await tulleForwarding.of(network));
    place.dataset.ready = "yes";
  };
})();
