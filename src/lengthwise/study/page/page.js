// Sorting of the table of all numbers, and values of heat maps under the pointer and the focus.
(() => {
  for (const table of document.querySelectorAll(".lw-study table[data-sortable]")) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const order = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
        for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
        if (order) head.setAttribute("aria-sort", order);
        const value = (row) => row.cells[column].dataset.value;
        const numeric = original.every((row) => value(row) !== "" && !Number.isNaN(Number(value(row))));
        const compare = (one, other) => numeric ? Number(value(one)) - Number(value(other)) : value(one).localeCompare(value(other));
        const sign = order === "descending" ? -1 : 1;
        body.append(...(order ? [...original].sort((one, other) => sign * compare(one, other)) : original));
      });
    });
  }

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.querySelector(".lw-study")?.append(tip);
  let shown = null;
  const show = (cell) => {
    shown = cell;
    tip.textContent = cell.dataset.told;
    tip.hidden = false;
    const box = cell.getBoundingClientRect();
    const left = Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const below = box.bottom + 6 + tip.offsetHeight <= innerHeight;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${below ? box.bottom + 6 : Math.max(0, box.top - 6 - tip.offsetHeight)}px`;
  };
  const hide = () => {
    shown = null;
    tip.hidden = true;
  };
  for (const table of document.querySelectorAll(".lw-study table[data-heat]")) {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td")]);
    const middle = (cell) => { const box = cell.getBoundingClientRect(); return box.left + box.width / 2; };
    const focus = (cell) => {
      for (const each of rows.flat()) each.tabIndex = each === cell ? 0 : -1;
      cell.focus();
    };
    rows.forEach((cells, row) => cells.forEach((cell, place) => {
      cell.dataset.told = cell.title;
      cell.removeAttribute("title");
      cell.tabIndex = row === 0 && place === 0 ? 0 : -1;
      cell.addEventListener("pointerenter", () => show(cell));
      cell.addEventListener("pointerleave", hide);
      cell.addEventListener("focus", () => show(cell));
      cell.addEventListener("blur", hide);
      cell.addEventListener("keydown", (event) => {
        if (event.key === "Escape") return hide();
        const near = (others) => others && [...others].sort((a, b) => Math.abs(middle(a) - middle(cell)) - Math.abs(middle(b) - middle(cell)))[0];
        const next = {
          ArrowLeft: cells[place - 1], ArrowRight: cells[place + 1],
          ArrowUp: near(rows[row - 1]), ArrowDown: near(rows[row + 1]),
        }[event.key];
        if (next) { event.preventDefault(); focus(next); }
      });
    }));
  }
  // A cell that gets the focus may have to be scrolled to first.
  addEventListener("scroll", () => shown && show(shown), { capture: true, passive: true });
})();
