// Makes buttons of the bold labels in <div class="ways">, so that one way of a step is read at a time: program, Python or R.
// The choice holds for all steps and, where the browser may keep it, for the next visit.
"use strict";
(() => {
    const kept = "rfvm-way";
    const groups = [];
    for (const box of document.querySelectorAll(".ways")) {
        const parts = new Map();
        let part = null;
        for (const child of [...box.children]) {
            const label = child.tagName === "P" && child.children.length === 1 && child.firstElementChild.tagName === "STRONG" &&
                child.firstElementChild.textContent === child.textContent ? child.textContent : null;
            if (label !== null) {
                part = document.createElement("div");
                parts.set(label, part);
                child.remove();
                box.append(part);
            } else if (part !== null) {
                part.append(child);
            }
        }
        const choice = document.createElement("div");
        choice.className = "ways-choice";
        for (const label of parts.keys()) {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = label;
            button.addEventListener("click", () => show(label, true));
            choice.append(button);
        }
        box.prepend(choice);
        groups.push({ choice, parts });
    }

    function show(wanted, keep) {
        for (const { choice, parts } of groups) {
            const label = parts.has(wanted) ? wanted : parts.keys().next().value;
            for (const [name, part] of parts) part.hidden = name !== label;
            for (const button of choice.children) button.setAttribute("aria-pressed", String(button.textContent === label));
        }
        if (keep) try { localStorage.setItem(kept, wanted); } catch { /* a page from a folder may have no store */ }
    }

    let first = null;
    try { first = localStorage.getItem(kept); } catch { /* as above */ }
    show(first, false);
})();
