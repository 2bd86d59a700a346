"use strict";
// A link opens the folds that its target stands in.
(() => {
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
// A click on the head of a column sorts the table: numbers from the largest, all else from A.
(() => {
  const value = (cell, numbers) => {
    const text = cell.textContent.trim(), number = text.match(numbers ? /^-?\d+(\.\d+)?(e[-+]\d+)?/ : /^\d+$/);
    return text === "∞" ? Infinity : number ? Number(number[0]) : text;
  };
  const compare = (a, b) => typeof a !== typeof b ? (typeof a === "number" ? -1 : 1)
    : typeof a === "number" ? (a < b ? -1 : a > b ? 1 : 0) : a.localeCompare(b);
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (body.rows.length < 2 || !body.rows[0].cells[column].textContent) return;
      const numbers = head.classList.contains("n"), button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.hasAttribute("aria-sort") ? head.getAttribute("aria-sort") === "descending" : !numbers;
        heads.forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const of = row => value(row.cells[column], numbers);
        body.append(...[...body.rows].sort((a, b) => up ? compare(of(a), of(b)) : compare(of(b), of(a))));
      });
    });
  }
})();
// The topics of a word: on hover and focus beside the list, and by search above it.
(() => {
  const find = document.getElementById("find");
  if (!find) return;
  const topics = [...document.querySelectorAll(".topics > li")], noun = document.querySelector(".topics")?.dataset.noun, hint = document.getElementById("hint"), said = document.getElementById("found");
  const words = JSON.parse(document.getElementById("words-found").textContent);
  const known = new Map(words.map(([word, ...parts]) => [word.toLowerCase(), {word, parts}]));
  const say = (to, {word, parts}) => {
    const name = document.createElement("strong"), where = [];
    name.textContent = word;
    for (let i = 0; i < parts.length; i += 2) where.push(`about ${parts[i + 1]}\u00a0% in “${topics[parts[i]].dataset.name}”`);
    to.replaceChildren(name, ": " + (where.join("; ") || `in small parts in many ${noun}s`) + ".");
  };
  const mark = parts => topics.forEach((topic, place) => topic.classList.toggle("has", parts.some((x, i) => i % 2 === 0 && x === place)));
  const search = () => {
    const text = find.value.trim().toLowerCase();
    said.replaceChildren();
    mark([]);
    if (!text) return;
    const exact = known.get(text), begun = [...known.keys()].filter(word => word.startsWith(text) && word !== text).slice(0, 8);
    if (exact) {
      const line = document.createElement("p");
      say(line, exact);
      said.append(line);
      mark(exact.parts);
    }
    if (begun.length) {
      const line = document.createElement("p");
      line.append("Words that begin so: ", ...begun.flatMap(word => [button(known.get(word).word), " "]));
      said.append(line);
    }
    if (!exact && !begun.length) {
      const line = document.createElement("p");
      line.textContent = `“${find.value.trim()}” is no leading word of a ${noun}. People may write it all the same.`;
      said.append(line);
    }
  };
  const button = word => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "word";
    made.textContent = word;
    return made;
  };
  const show = word => {
    const entry = known.get(word.toLowerCase());
    hint.hidden = !entry;
    if (entry) {
      say(hint, entry);
      mark(entry.parts);
    }
  };
  const hide = () => {
    if (hint.hidden) return;
    hint.hidden = true;
    mark(known.get(find.value.trim().toLowerCase())?.parts ?? []);
  };
  for (const word of document.querySelectorAll(".topics .word")) word.replaceWith(button(word.textContent));
  const of = event => event.target.closest?.(".word, .card tbody th");
  for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, event => of(event) ? show(of(event).textContent) : hide());
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", event => event.key === "Escape" && hide());
  document.addEventListener("click", event => {
    const word = event.target.closest?.("button.word");
    if (!word) return;
    find.value = word.textContent;
    search();
  });
  find.addEventListener("input", search);
  find.form.addEventListener("submit", event => event.preventDefault());
  find.form.hidden = false;
})();
// The slider of relevance.
(() => {
  const slider = document.getElementById("lambda");
  if (!slider) return;
  const ranks = JSON.parse(document.getElementById("ranks").textContent);
  const cards = [...document.querySelectorAll("[data-topic]")].map(card => ({
    words: ranks[card.dataset.topic], rows: [...card.querySelectorAll("tbody tr")],
  }));
  const marks = [...document.querySelectorAll(".legend .bar:not(.sure)")].length > 0;
  const marked = () => {
    const sign = document.createElement("span"), text = document.createElement("span");
    sign.setAttribute("aria-hidden", "true");
    sign.textContent = "✓";
    text.className = "away";
    text.textContent = " counted there";
    return [sign, text];
  };
  const print = p => p < 0.001 ? p.toFixed(Math.min(100, 1 - Math.floor(Math.log10(p)))).replace(/\.?0+$/, "") : p.toFixed(4); // as modelfile.PrintProbability
  // Sievert and Shirley 2014, equation 1; the sort is stable, so that equal words keep their order.
  const rank = () => {
    const lambda = Number(slider.value), shown = lambda.toFixed(2);
    for (const {words, rows} of cards) {
      const relevance = ([, inTopic, overall]) => Math.log(inTopic) - (1 - lambda) * Math.log(overall);
      const best = [...words].sort((a, b) => relevance(b) - relevance(a)).slice(0, rows.length);
      const widest = Math.max(...best.map(word => word[1]));
      best.forEach(([word, inTopic, overall, sure], i) => {
        const [bar, whole] = rows[i].querySelectorAll("rect"), number = rows[i].lastElementChild;
        rows[i].firstElementChild.textContent = word;
        bar.setAttribute("width", 100 * inTopic / widest + "%");
        bar.classList.toggle("sure", sure === 1 || !marks);
        whole.setAttribute("width", Math.min(100, 100 * overall / widest) + "%");
        number.firstChild.nodeValue = print(inTopic);
        number.lastElementChild.replaceChildren(...(sure ? marked() : []));
      });
    }
    document.getElementById("value").textContent = document.getElementById("printed").textContent = shown;
    return shown;
  };
  slider.addEventListener("input", rank);
  slider.addEventListener("change", () => {
    document.getElementById("said").textContent = "Words are ranked by relevance at λ = " + rank() + ".";
  });
  slider.form.addEventListener("submit", event => event.preventDefault());
  slider.form.hidden = false;
  rank();
})();
