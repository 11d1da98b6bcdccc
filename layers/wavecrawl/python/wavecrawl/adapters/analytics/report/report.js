// Search and order of the table of pages, and all issues on paper. Without this script, the table is a plain table.
{
  const box = document.querySelector("#page-table");
  const body = box?.querySelector("tbody");
  const rows = body ? [...body.rows] : [];

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.classList.contains("number") ? Number(cell.dataset.value ?? -1) : cell.textContent.toLowerCase();
  };
  const sort = (head) => {
    const descending = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const ordered = rows
      .map((row) => [value(row, head.cellIndex), row])
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (descending ? -1 : 1));
    body.append(...ordered.map(([, row]) => row));
  };
  const search = (text, shown) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const content = row.cells[0].textContent.toLowerCase() + row.cells[1].textContent;
      row.hidden = !words.every((word) => content.includes(word));
      if (!row.hidden) count += 1;
    }
    shown.textContent = words.length ? `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows` : "";
  };

  if (rows.length) {
    for (const head of box.querySelectorAll("th")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(head));
      head.append(button);
    }
    const field = document.createElement("label");
    const input = document.createElement("input");
    const shown = document.createElement("output");
    input.type = "search";
    input.addEventListener("input", () => search(input.value, shown));
    field.append("Search in titles, URLs and states", input);
    field.className = "search";
    box.before(field, shown);
  }
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details")) one.open = true;
  });
}
