// The drawing of a network: switches and cables as SVG, which can be moved and zoomed with pointer, buttons and keys.
"use strict";

const tulleView = (() => {
  const STEP = 1.4;
  const MOVE = 60;

  class View {
    constructor(place, network, choose) {
      this.network = network;
      this.svg = d3
        .select(place)
        .append("svg")
        .attr("tabindex", 0)
        .attr("role", "img")
        .attr(
          "aria-label",
          `Drawing of ${network.spec}: ${network.switches.length} switches, ${network.cables.length} cables. ` +
            "Arrow keys move it, plus and minus zoom, 0 shows everything.",
        );
      this.group = this.svg.append("g");
      // Many lines would cover the drawing, so they are lighter.
      const opacity = Math.max(0.1, Math.min(0.35, 400 / network.cables.length));
      this.cables = this.group.append("path").attr("class", "all-cables").style("--opacity", opacity);
      this.marks = this.group.append("g");
      this.nodes = this.group
        .append("g")
        .selectAll("circle")
        .data(d3.range(network.switches.length))
        .join("circle")
        .attr("class", (at) => (network.endpoints[at] ? "switch" : "switch without-hosts"))
        .attr("data-switch", (at) => at)
        .on("click", (_, at) => choose(at));
      this.nodes.append("title").text((at) => network.describe(at));
      this.names = this.group.append("g");
      this.zoom = d3
        .zoom()
        .scaleExtent([0.8, 24])
        // Readers can scroll the page over the drawing: the wheel zooms only with Ctrl or after a click, and touch needs two fingers.
        .filter((event) => {
          if (event.type === "wheel") return event.ctrlKey || document.activeElement === this.svg.node();
          if (event.type.startsWith("touch")) return event.touches.length > 1;
          return !event.button && event.type !== "dblclick";
        })
        .on("zoom", (event) => {
          this.group.attr("transform", event.transform);
          this.scaled(event.transform.k);
        });
      this.svg.call(this.zoom).on("dblclick.zoom", null);
      this.svg.on("keydown", (event) => this.key(event));
      this.buttons(place);
      this.arrange(0);
    }

    buttons(place) {
      const box = d3.select(place).append("div").attr("class", "zoom");
      const add = (text, label, act) =>
        box.append("button").attr("type", "button").attr("aria-label", label).text(text).on("click", act);
      add("+", "Zoom in", () => this.by(STEP));
      add("−", "Zoom out", () => this.by(1 / STEP));
      add("⤢", "Show everything", () => this.reset());
    }

    by(factor) {
      this.svg.call(this.zoom.scaleBy, factor);
    }

    reset() {
      this.svg.call(this.zoom.transform, d3.zoomIdentity);
    }

    key(event) {
      const moves = { ArrowLeft: [MOVE, 0], ArrowRight: [-MOVE, 0], ArrowUp: [0, MOVE], ArrowDown: [0, -MOVE] };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (moves[event.key]) {
        const k = d3.zoomTransform(this.svg.node()).k;
        this.svg.call(this.zoom.translateBy, ...moves[event.key].map((each) => each / k));
      } else if (event.key === "+" || event.key === "=") this.by(STEP);
      else if (event.key === "-" || event.key === "−") this.by(1 / STEP);
      else if (event.key === "0") this.reset();
      else return;
      event.preventDefault();
    }

    arrange(number) {
      const { width, height } = this.network.arrangements[number];
      // Tenths of a unit.
      const places = this.network[`places${number}`];
      this.x = (at) => places[2 * at] / 10;
      this.y = (at) => places[2 * at + 1] / 10;
      this.svg.attr("viewBox", `0 0 ${width} ${height}`);
      // Nearest neighbours limit the size of the circles.
      const points = d3.range(this.network.switches.length).map((at) => [this.x(at), this.y(at)]);
      const tree = d3.quadtree(points);
      const gaps = points.map((point) => {
        tree.remove(point);
        const near = tree.find(...point);
        tree.add(point);
        return near ? Math.hypot(near[0] - point[0], near[1] - point[1]) : width;
      });
      this.radius = Math.max(1.2, Math.min(9, 0.42 * d3.quantile(gaps, 0.1)));
      this.nodes.attr("cx", this.x).attr("cy", this.y);
      const { cables, source, target } = this.network;
      this.cables.attr("d", cables.map((channel) => this.line(source[channel], target[channel])).join(""));
      this.reset();
      this.scaled(1);
    }

    line(a, b) {
      return `M${this.x(a)} ${this.y(a)}L${this.x(b)} ${this.y(b)}`;
    }

    scaled(k) {
      this.nodes.attr("r", this.radius / k ** 0.6);
      this.names.selectAll("text").style("font-size", `${20 / k}px`);
    }

    // Shows chosen switches, the cables of one switch, paths with their colours, and a cut cable.
    show({ chosen, cables, paths, cut }) {
      const { source, target } = this.network;
      const k = d3.zoomTransform(this.svg.node()).k;
      this.svg.classed("faded", chosen.length > 0 || cut !== null);
      this.nodes.classed("chosen", (at) => chosen.includes(at));
      this.marks.selectAll("*").remove();
      if (cables.length) {
        this.marks
          .append("path")
          .attr("class", "of-switch")
          .attr("d", cables.map((channel) => this.line(source[channel], target[channel])).join(""));
      }
      paths.forEach(({ channels, colour, number }, at) => {
        // Paths over the same cable lie side by side.
        const shift = (at - (paths.length - 1) / 2) * Math.min(3, 18 / paths.length);
        const lines = channels.map((channel) => this.beside(source[channel], target[channel], shift));
        this.marks
          .append("path")
          .attr("class", "path")
          .attr("stroke", colour)
          .attr("stroke-dasharray", tulleCharts.DASHES[Math.floor(number / 7) % tulleCharts.DASHES.length])
          .attr("d", lines.join(""));
      });
      if (cut !== null) {
        const channel = this.network.cables[cut];
        this.marks.append("path").attr("class", "cut").attr("d", this.line(source[channel], target[channel]));
      }
      this.names
        .selectAll("text")
        .data(chosen)
        .join("text")
        .attr("class", "switch-name")
        .attr("x", (at) => this.x(at))
        .attr("y", (at) => this.y(at) - this.radius - 6)
        .attr("text-anchor", (at) => (this.x(at) < 120 ? "start" : this.x(at) > 880 ? "end" : "middle"))
        .text((at) => this.network.switches[at]);
      this.scaled(k);
    }

    beside(a, b, shift) {
      const [x1, y1, x2, y2] = [this.x(a), this.y(a), this.x(b), this.y(b)];
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [dx, dy] = [(-(y2 - y1) / length) * shift, ((x2 - x1) / length) * shift];
      return `M${x1 + dx} ${y1 + dy}L${x2 + dx} ${y2 + dy}`;
    }
  }

  return View;
})();
