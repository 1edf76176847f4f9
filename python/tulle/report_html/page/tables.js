// Tables: a click on a heading sorts, a text field filters. Screen readers announce the order and the number of rows.
"use strict";

const tulleTables = (() => {
  const number = (cell) => (cell.dataset.value === undefined ? NaN : Number(cell.dataset.value));

  // Missing values come last in both directions.
  function compare(a, b, sign, numeric) {
    if (numeric) {
      const [x, y] = [number(a), number(b)];
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return sign * (x - y);
    }
    return sign * a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  }

  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    heads.forEach((head, column) => {
      if (!head.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const numeric = ["number", "percent"].includes(head.className);
        const rows = [...body.rows];
        rows.sort((a, b) => compare(a.cells[column], b.cells[column], up ? 1 : -1, numeric));
        body.append(...rows);
      });
    });
  }

  function filterable(place) {
    const table = place.querySelector("table");
    const rows = [...table.tBodies[0].rows];
    const box = document.createElement("div");
    box.className = "filter";
    const label = document.createElement("label");
    label.textContent = "Filter rows ";
    const field = document.createElement("input");
    field.type = "search";
    field.setAttribute("aria-label", `Filter rows of: ${table.caption.textContent}`);
    label.append(field);
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    box.append(label, count);
    place.querySelector(".scroll").before(box);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        left += !row.hidden;
      }
      count.textContent = words.length ? `${left} of ${rows.length} rows` : "";
    });
  }

  // Tab reaches only one of the buttons in the rows, and arrow keys move between them. Otherwise a network of 500 cables has 500 stops
  // before the rest of the page.
  function withArrows(place, rows) {
    const buttons = [...place.querySelectorAll("tbody button")];
    const each = buttons.length / rows;
    const steps = { ArrowDown: each, ArrowUp: -each, ArrowRight: 1, ArrowLeft: -1 };
    buttons.forEach((button, at) => (button.tabIndex = at ? -1 : 0));
    place.addEventListener("keydown", (event) => {
      const from = buttons.indexOf(document.activeElement);
      const at = { Home: 0, End: buttons.length - 1 }[event.key] ?? from + steps[event.key];
      if (from < 0 || !buttons[at]) return;
      event.preventDefault();
      buttons[from].tabIndex = -1;
      buttons[at].tabIndex = 0;
      buttons[at].focus();
    });
  }

  return {
    withArrows,
    start() {
      document.querySelectorAll(".table table").forEach(sortable);
      document.querySelectorAll(".table.filtered").forEach(filterable);
    },
  };
})();
