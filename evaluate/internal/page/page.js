"use strict";
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
        number.firstChild.nodeValue = inTopic.toFixed(4);
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
