"use strict";
(() => {
  const tip = document.getElementById("tip");
  const said = document.getElementById("said");
  const node = (name, text, type) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (type) made.className = type;
    return made;
  };

  // Tooltips: of the mark under the pointer, else of the nearest one; arrow keys walk from mark to mark.
  const put = (x, y) => {
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, x + 14), innerWidth - box.width - 8);
    const above = y - box.height - 12;
    tip.style.left = left + "px";
    tip.style.top = (above > 8 ? above : y + 18) + "px";
  };
  // Where the mark is that the keys have reached: its tooltip scrolls with it. The pointer's goes when the page scrolls.
  let reached = null;
  const show = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    reached = null;
    put(x, y);
  };
  const hide = () => {
    tip.hidden = true;
    reached = null;
  };
  const walk = (text, place) => {
    show(text, ...place());
    reached = place;
    said.textContent = text;
  };
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz012345678";
  const heatTip = (heat, row, column) => {
    const value = letters.indexOf(heat.values[row][column]);
    const words = value < 0 ? "missing" : (value / 10 - 3).toFixed(1) + " sd";
    return heat.rows[row] + ": " + words + "\n" + heat.columns[column];
  };

  for (const picture of document.querySelectorAll(".picture")) {
    const svg = picture.querySelector("svg");
    // The browser's own tooltip of the title would lie over ours.
    const title = svg.querySelector("title");
    svg.setAttribute("aria-label", title.textContent);
    svg.removeAttribute("aria-labelledby");
    title.remove();
    const marks = Array.from(svg.querySelectorAll("[data-tip]"));
    const heat = svg.dataset.heat ? JSON.parse(svg.dataset.heat) : null;
    const middle = (mark) => {
      const box = mark.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const inChart = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let places = null;
    const nearest = (event) => {
      places = places || marks.map((mark) => {
        const box = mark.getBBox();
        return [box.x + box.width / 2, box.y + box.height / 2];
      });
      const at = inChart(event);
      let best = null, least = 16 * 16;
      places.forEach(([x, y], i) => {
        const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
        if (distance < least) { least = distance; best = marks[i]; }
      });
      return best;
    };
    const point = (event) => {
      if (heat) {
        const at = inChart(event);
        const column = Math.floor((at.x - heat.left) / heat.width);
        const row = Math.floor((at.y - heat.top) / heat.height);
        const inside = row >= 0 && row < heat.rows.length && column >= 0 && column < heat.columns.length;
        return inside ? show(heatTip(heat, row, column), event.clientX, event.clientY) : hide();
      }
      const mark = event.target.closest("[data-tip]") || nearest(event);
      mark ? show(mark.dataset.tip, event.clientX, event.clientY) : hide();
    };
    // A page that scrolls under a resting pointer is no reason to leave the mark the keys have reached.
    svg.addEventListener("pointermove", (event) => reached && !event.movementX && !event.movementY || point(event));
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointerleave", () => reached || hide());

    let row = 0, column = -1;
    picture.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hide();
      const [down, across] = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key] || [0, 0];
      if (!down && !across) return undefined;
      const count = heat ? heat.columns.length : marks.length;
      if (!count) return undefined;
      event.preventDefault();
      if (heat) {
        row = Math.min(Math.max(0, row + (column < 0 ? 0 : down)), heat.rows.length - 1);
        column = Math.min(Math.max(0, column + (column < 0 ? 1 : across)), count - 1);
        const cell = new DOMPoint(heat.left + heat.width * (column + 0.5), heat.top + heat.height * row);
        walk(heatTip(heat, row, column), () => {
          const on = cell.matrixTransform(svg.getScreenCTM());
          return [on.x, on.y];
        });
      } else {
        column = (column + down + across + count) % count;
        for (const mark of marks) mark.classList.remove("at");
        marks[column].classList.add("at");
        const mark = marks[column];
        walk(mark.dataset.tip, () => middle(mark));
      }
      return undefined;
    });
    picture.addEventListener("blur", () => {
      hide();
      for (const mark of marks) mark.classList.remove("at");
    });
  }
  addEventListener("scroll", () => reached ? put(...reached()) : hide(), { passive: true });

  // Tables: all rows are data, a page of them is in the document.
  for (const table of document.querySelectorAll(".table")) {
    const { file, shown, columns, rows } = JSON.parse(table.querySelector("script").textContent);
    const body = table.querySelector("tbody");
    const heads = Array.from(table.querySelectorAll("th"));
    const [back, on] = table.querySelectorAll(".pager button");
    const place = table.querySelector(".where");
    const search = table.querySelector("input");
    const format = (value, digits) => value === null ? "" : digits === null ? String(value) : value.toFixed(digits);
    let found = rows.slice(), page = 0, by = -1, descending = false;

    const draw = () => {
      const from = page * shown, to = Math.min(from + shown, found.length);
      body.replaceChildren(...found.slice(from, to).map((row) => {
        const line = document.createElement("tr");
        line.append(...row.map((value, i) => node("td", format(value, columns[i][1]), columns[i][1] === null ? "" : "number")));
        return line;
      }));
      const of = found.length === rows.length ? "" : " found, of " + rows.length;
      place.textContent = found.length ? (from + 1) + " to " + to + " of " + found.length + of + " rows" : "no row found, of " + rows.length;
      back.disabled = page === 0;
      on.disabled = to >= found.length;
    };
    const arrange = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      found = rows.filter((row) => {
        const text = row.map((value, i) => format(value, columns[i][1])).join("\u0001").toLowerCase();
        return words.every((word) => text.includes(word));
      });
      if (by >= 0) {
        const sign = descending ? -1 : 1;
        const order = new Intl.Collator("en", { numeric: true }).compare;
        // What is empty comes last either way.
        found.sort((a, b) => {
          const [p, q] = [a[by], b[by]];
          if (p === null || p === "" || q === null || q === "") return (p === null || p === "") - (q === null || q === "");
          return sign * (typeof p === "number" ? p - q : order(p, q));
        });
      }
      heads.forEach((head, i) => {
        if (i === by) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      page = 0;
      draw();
    };
    heads.forEach((head, i) => head.querySelector("button").addEventListener("click", () => {
      // Numbers begin with the largest: that is what people look for.
      descending = by === i ? !descending : columns[i][1] !== null;
      by = i;
      arrange();
    }));
    search.addEventListener("input", arrange);
    back.addEventListener("click", () => { page -= 1; draw(); });
    on.addEventListener("click", () => { page += 1; draw(); });
    table.querySelector(".download").addEventListener("click", () => {
      const cell = (value) => {
        const text = value === null ? "" : String(value);
        return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
      };
      const lines = [columns.map(([name]) => name), ...found].map((row) => row.map(cell).join(","));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
      link.download = file;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    draw();
  }

  // The contents list says where the reader is.
  const links = new Map(Array.from(document.querySelectorAll("nav a"), (link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((e) => e.isIntersecting)) {
      for (const [id, link] of links) {
        if (id === entry.target.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-10% 0px -75% 0px" });
  for (const id of links.keys()) watch.observe(document.getElementById(id));
})();
