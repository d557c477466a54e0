/* What readers can do on a page: go to sections, sort tables, sort and filter cards, open and close atoms. All contents
 * are in the page already: this script only moves, hides and links elements, and makes text with textContent. */
"use strict";
(() => {
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  /* ---- Navigation ---- */
  const sections = [...document.querySelectorAll("main > section[id]")];
  if (sections.length > 1) {
    const list = make("ul", {});
    for (const section of sections) {
      const title = section.querySelector("h2").textContent;
      list.append(make("li", {}, make("a", { href: "#" + section.id, textContent: title })));
    }
    const nav = make("nav", {}, list);
    nav.setAttribute("aria-label", "Sections");
    document.querySelector("header").append(nav);
  }

  /* ---- Tables ---- */
  const cellValue = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent;
    return text === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
  };
  /* Missing values come last, numbers before text. */
  const compare = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return sign * (typeof a === "number" ? a - b : a.localeCompare(b));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", textContent: head.textContent });
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") !== "descending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => compare(cellValue(a, column), cellValue(b, column), descending ? -1 : 1));
        table.tBodies[0].append(...rows);
      });
      head.replaceChildren(button);
    });
  }

  /* ---- Cards ---- */
  /* A list says in data-sorts by which numbers of its cards (data-NAME) they sort, in data-labels which labels filter. */
  const field = (title, input) => make("label", {}, title, input);
  const optionsOf = (select, values) => {
    values.forEach((value) => select.append(make("option", { value, textContent: value })));
    return select;
  };
  for (const list of document.querySelectorAll("ul.cards")) {
    const cards = [...list.children];
    const sorts = list.dataset.sorts.split("|");
    const labels = list.dataset.labels ? list.dataset.labels.split("|") : [];
    const order = optionsOf(make("select", { name: "sort" }), sorts);
    const direction = optionsOf(make("select", { name: "direction" }), ["largest first", "smallest first"]);
    direction.selectedIndex = list.dataset.order === "smallest" ? 1 : 0;
    const text = make("input", { type: "search", name: "text", autocomplete: "off" });
    const label = optionsOf(make("select", { name: "label" }, make("option", { value: "", textContent: "any" })), labels);
    const from = make("input", { type: "number", name: "from", step: "any" });
    const to = make("input", { type: "number", name: "to", step: "any" });
    const count = make("output", { name: "count" });
    const form = make("form", { className: "controls" }, field("sort by", order), field("order", direction),
                      field("contains", text), ...(labels.length ? [field("most frequent label", label)] : []),
                      field("at least", from), field("at most", to), count);
    const number = (card) => Number(card.dataset[order.value]);
    const update = () => {
      const sign = direction.selectedIndex === 0 ? -1 : 1;
      const wanted = text.value.toLowerCase();
      cards.sort((a, b) => sign * (number(a) - number(b)));
      let shown = 0;
      for (const card of cards) {
        const value = number(card);
        card.hidden = (wanted !== "" && !card.textContent.toLowerCase().includes(wanted)) ||
                      (label.value !== "" && card.dataset.label !== label.value) ||
                      (from.value !== "" && !(value >= Number(from.value))) || (to.value !== "" && !(value <= Number(to.value)));
        shown += card.hidden ? 0 : 1;
      }
      list.append(...cards);
      count.textContent = `${shown} of ${cards.length} shown`;
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    list.before(form);
    update();
  }

  /* ---- Atoms ---- */
  const opened = () => document.querySelector("article.atom:target");
  addEventListener("hashchange", () => {
    const atom = opened();
    if (!atom) return;
    atom.querySelector("h2").focus();
    scrollTo(0, 0);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && opened()) location.hash = opened().dataset.back;
  });
})();
