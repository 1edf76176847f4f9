// Charts, drawn with Observable Plot. Keys of a row, by kind of chart:
//   bars:    name, value, optional low and high (a range), or part (bars are stacked by part)
//   ranges:  group, name, value, low, high
//   curves:  name, x, value, low, high; the option ordinal means that x is a text
//   scatter: name, x, value, optional low and high (a vertical range), group (colour), mark (filled symbol)
"use strict";

const tulleCharts = (() => {
  // Colours that colour-blind readers can tell apart (Okabe and Ito); symbols tell series apart in grey.
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];
  // Dashes of lines with the same colour.
  const DASHES = ["", "9 4", "2 3", "12 3 2 3"];
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif";
  const format = (value) =>
    value === null || value === undefined
      ? "–"
      : Number.isInteger(value)
        ? value.toLocaleString("en")
        : Number(value.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
  const tick = (value) => (Math.abs(value) >= 1000 ? d3.format("~s")(value) : format(value));
  const short = (text) => (text.length > 34 ? `${text.slice(0, 33)}…` : text);
  // Breaks a text at spaces into lines of at most this many letters.
  const wrapped = (text, most) =>
    text.split(" ").reduce((done, word) => {
      const line = done.slice(done.lastIndexOf("\n") + 1);
      return done ? `${done}${line.length + word.length < most ? " " : "\n"}${word}` : word;
    }, "");
  const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))];
  const title = (row) =>
    `${row.name}${row.x === undefined ? "" : `, ${typeof row.x === "number" ? format(row.x) : row.x}`}\n` +
    `${format(row.value)}` +
    (row.low === undefined || row.low === row.high ? "" : ` (${format(row.low)} to ${format(row.high)})`);

  function colours(rows, key) {
    const domain = distinct(rows, key);
    return { domain, range: domain.map((_, at) => COLOURS[at % COLOURS.length]) };
  }

  function bars(chart, width) {
    const rows = chart.rows;
    const names = distinct(rows, "name");
    const stacked = rows[0].part !== undefined;
    const marks = [
      Plot.barX(rows, {
        x: "value",
        y: "name",
        fill: stacked ? "part" : "name",
        title: (row) => (stacked ? `${row.name}\n${row.part}: ${format(row.value)}` : title(row)),
        tip: { format: null },
      }),
      Plot.ruleX([0]),
    ];
    if (!stacked) {
      const ranges = rows.filter((row) => row.low !== undefined && row.low !== row.high);
      marks.push(Plot.ruleY(ranges, { x1: "low", x2: "high", y: "name", stroke: "#000", strokeWidth: 1.5 }));
      marks.push(
        Plot.text(rows, {
          x: (row) => Math.max(row.value, row.high ?? row.value),
          y: "name",
          text: (row) => format(row.value),
          textAnchor: "start",
          dx: 6,
        }),
      );
    }
    const key = stacked ? "part" : "name";
    return Plot.plot({
      width,
      marginLeft: Math.min(26 + 7 * Math.max(...names.map((name) => short(name).length)), width * 0.45),
      marginRight: stacked ? 24 : 64,
      marginBottom: 42,
      height: 30 * names.length + 62,
      x: {
        label: chart.x, labelAnchor: "center", labelArrow: "none", labelOffset: 38, grid: true, nice: true, tickFormat: tick,
        ticks: Math.min(6, width / 90),
      },
      y: { domain: names, label: null, tickFormat: short, tickSize: 0 },
      color: { ...colours(rows, key), legend: stacked },
      style: { fontFamily: FONT, fontSize: "12px" },
      marks,
    });
  }

  function ranges(chart, width) {
    const rows = chart.rows;
    const names = distinct(rows, "name");
    const groups = distinct(rows, "group");
    return Plot.plot({
      width,
      marginLeft: Math.min(260, width * 0.42),
      marginRight: 20,
      marginBottom: 44,
      height: groups.length * (names.length * 15 + 14) + 60,
      x: { label: chart.x, labelAnchor: "center", labelOffset: 38, grid: true, zero: true, labelArrow: "none", ticks: Math.min(10, width / 70) },
      y: { domain: names, axis: null },
      fy: { domain: groups, label: null, padding: 0.15 },
      color: { ...colours(rows, "name"), legend: true, tickFormat: short },
      style: { fontFamily: FONT, fontSize: "12px" },
      marks: [
        Plot.axisFy({
          anchor: "left",
          text: (text) => (width < 600 ? wrapped(text, 18) : text),
          textAnchor: "end",
          frameAnchor: "left",
          label: null,
        }),
        Plot.ruleY(rows, { x1: "low", x2: "high", y: "name", fy: "group", stroke: "name", strokeWidth: 4, strokeOpacity: 0.45 }),
        Plot.dot(rows, {
          x: "value", y: "name", fy: "group", fill: "name", r: 4, title: (row) => `${row.group}\n${title(row)}`,
          tip: { format: null },
        }),
        Plot.ruleX([0]),
      ],
    });
  }

  function curves(chart, width) {
    const rows = chart.rows.filter((row) => row.value !== null);
    const names = distinct(chart.rows, "name");
    const x = chart.ordinal
      ? { type: "point", domain: distinct(chart.rows, "x"), label: null }
      : { label: chart.x, labelAnchor: "center", labelOffset: 34, tickFormat: chart.percent ? "%" : undefined, labelArrow: "none" };
    return Plot.plot({
      width,
      height: 240,
      marginLeft: 52,
      marginRight: 24,
      marginBottom: 40,
      x: { ...x, inset: 12 },
      y: { label: null, grid: true, zero: true, nice: true, tickFormat: tick },
      color: { ...colours(chart.rows, "name"), legend: true, tickFormat: short },
      symbol: { domain: names },
      style: { fontFamily: FONT, fontSize: "12px" },
      marks: [
        Plot.areaY(rows, { x: "x", y1: "low", y2: "high", fill: "name", fillOpacity: 0.15, z: "name" }),
        Plot.lineY(rows, { x: "x", y: "value", stroke: "name", z: "name", strokeWidth: 1.8 }),
        Plot.dot(rows, {
          x: "x", y: "value", stroke: "name", fill: "white", symbol: "name", r: 4, title, tip: { format: null },
        }),
        Plot.ruleY([0]),
      ],
    });
  }

  function scatter(chart, width) {
    const rows = chart.rows;
    const marks = [
      Plot.ruleX(rows.filter((row) => row.low !== null && row.low !== undefined), {
        x: "x", y1: "low", y2: "high", stroke: "group", strokeWidth: 3, strokeOpacity: 0.45,
      }),
      // Two marks, because Plot leaves out a symbol whose colour is null.
      ...[true, false].map((marked) =>
        Plot.dot(rows.filter((row) => Boolean(row.mark) === marked), {
          x: "x", y: "value", stroke: "group", fill: marked ? "group" : "white", symbol: "group", r: 5,
          title, tip: { format: null },
        })),
    ];
    return Plot.plot({
      width,
      height: Math.min(460, Math.max(300, width * 0.5)),
      marginLeft: 56,
      marginBottom: 46,
      x: { label: chart.x, labelAnchor: "center", labelOffset: 40, grid: true, nice: true, labelArrow: "none", tickFormat: tick },
      y: { label: chart.y, grid: true, nice: true, labelArrow: "none", inset: 8 },
      color: { ...colours(rows, "group"), legend: true },
      symbol: { domain: distinct(rows, "group") },
      style: { fontFamily: FONT, fontSize: "12px" },
      marks,
    });
  }

  const KINDS = { bars, ranges, curves, scatter };

  function draw(figure, chart) {
    const place = figure.querySelector(".plot");
    const width = Math.max(280, Math.floor(place.clientWidth || 640));
    if (place.dataset.width === String(width)) return;
    place.dataset.width = String(width);
    const drawn = KINDS[chart.kind](chart, width);
    const svg = drawn.tagName.toLowerCase() === "svg" ? drawn : drawn.querySelector(":scope > svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `${chart.title}. ${chart.rows.length} values; the data is in the table below the chart.`);
    place.replaceChildren(drawn);
  }

  return {
    COLOURS,
    DASHES,
    format,
    start(charts) {
      const all = () =>
        document.querySelectorAll("figure[data-chart]").forEach((figure) => draw(figure, charts[figure.dataset.chart]));
      all();
      let pending;
      new ResizeObserver(() => {
        clearTimeout(pending);
        pending = setTimeout(all, 150);
      }).observe(document.querySelector("main"));
    },
  };
})();
