// Draws a network: the positions of its switches, its cables, and the paths of a pair of switches.
"use strict";

const Drawing = (() => {
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

  // Returns a position from -1 to 1 for every switch: levels are rows, and groups are circles on a circle.
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

  function draw(canvas, { drawing, at, chosen, paths }) {
    if (!drawing) return;
    const wide = canvas.clientWidth, scale = devicePixelRatio || 1, style = getComputedStyle(canvas).color;
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
    (paths?.paths ?? []).forEach(({ switches }, row) => {
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

  return { COLOURS, arrange, draw };
})();
