// Tables: a click on a heading sorts, a text field filters. Readers hear the order and the number of rows.
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

  return {
    start() {
      document.querySelectorAll(".table table").forEach(sortable);
      document.querySelectorAll(".table.filtered").forEach(filterable);
    },
  };
})();
