"use strict";
(() => {
  const { formula, z } = JSON.parse(document.getElementById("formula").textContent);
  const form = document.getElementById("calculator");
  const inputs = Array.from(form.querySelectorAll("input"));
  const answer = document.getElementById("answer");
  const why = document.getElementById("why");
  const node = (name, text, type) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (type) made.className = type;
    return made;
  };
  const seen = (raw) => formula.transform === "log2" ? Math.log1p(raw) * Math.LOG2E : raw;
  const standardised = (feature, raw) => {
    const { mean, sd, bend } = feature.scale;
    const value = raw === null ? feature.median : seen(raw);
    return ((bend ? Math.asinh((value - bend.centre) / bend.unit) : value) - mean) / sd;
  };
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const sigmoid = (f) => f >= 0 ? 1 / (1 + Math.exp(-f)) : Math.exp(f) / (1 + Math.exp(f));

  // What the engine says of these raw values (null: missing), by the formula of the documentation.
  const compute = (values) => {
    const { signatures, correction, classes, target_mean, target_sd } = formula;
    const count = signatures.length, regression = classes.length === 0;
    const unit = (regression ? correction.slope * target_sd : 1) / count;
    const total = { mean: 0, variance: 0, moderated: 0, sd: 0 }, parts = [];
    let base = regression ? correction.intercept + correction.slope * target_mean : 0, first = 0;
    for (const { features, bias, bias_variance, noise, variances, covariance } of signatures) {
      const x = features.map((feature, d) => standardised(feature, values[first + d]));
      const mean = sum(x.map((value, d) => value * features[d].weight)) + bias;
      const spread = covariance
        ? sum(x.map((value, i) => value * sum(x.map((other, j) => other * covariance[i][j]))))
        : sum(x.map((value, d) => value * value * variances[d]));
      const variance = Math.max(spread, 0) + bias_variance + noise;
      const moderation = Math.sqrt(1 + Math.PI / 8 * variance);
      total.mean += mean / count;
      total.variance += variance / count;
      total.moderated += mean / moderation / count;
      total.sd += Math.sqrt(variance) / moderation / count;
      base += unit * bias;
      x.forEach((value, d) => parts.push({
        feature: features[d].name, adds: unit * features[d].weight * value, sd: Math.abs(unit * value) * Math.sqrt(variances[d]),
      }));
      first += features.length;
    }
    parts.sort((a, b) => Math.abs(b.adds) - Math.abs(a.adds));
    if (regression) {
      const value = correction.intercept + correction.slope * (target_mean + target_sd * total.mean);
      const reach = z * Math.abs(correction.slope * target_sd) * Math.sqrt(total.variance);
      return { predicted: value, interval: [value - reach, value + reach], abstain: false, base, parts };
    }
    const odds = correction.intercept + correction.slope * total.moderated, reach = z * correction.slope * total.sd;
    return { predicted: sigmoid(odds), interval: [sigmoid(odds - reach), sigmoid(odds + reach)], abstain: Math.abs(odds) <= reach, base, parts };
  };

  const features = formula.signatures.flatMap((signature) => signature.features);
  const read = (input, feature) => {
    const text = input.value.trim().replace(",", ".");
    if (text === "") return feature.median === null ? undefined : null;
    const value = Number(text);
    return Number.isFinite(value) && Number.isFinite(seen(value)) ? value : undefined;
  };
  const shown = (value) => formula.classes.length ? (100 * value).toFixed(1) + " %" : value.toPrecision(4);
  const say = (...lines) => answer.replaceChildren(...lines.map((line) => line instanceof Node ? line : node("p", line)));

  const draw = (found) => {
    const head = document.createElement("p");
    head.append(formula.classes.length ? `Probability of ${formula.classes[1]}: ` : "Predicted: ", node("strong", shown(found.predicted)));
    const lines = [head, `95 % interval ${shown(found.interval[0])} to ${shown(found.interval[1])}.`];
    if (found.abstain) {
      lines.push(`The interval holds both ${formula.classes[0]} and ${formula.classes[1]}: the model abstains.`);
    } else if (formula.classes.length) {
      lines.push(`The model says ${formula.classes[found.predicted > 0.5 ? 1 : 0]}.`);
    }
    if (form.querySelector(".far")) lines.push("A value lies outside of what the training samples had: the model extrapolates.");
    say(...lines);
    const longest = Math.max(...found.parts.map((part) => Math.abs(part.adds)), Number.MIN_VALUE);
    const row = ({ feature, adds, sd }, bar) => {
      const made = document.createElement("tr"), cell = document.createElement("td");
      if (bar) {
        const track = node("div", "", "track"), mark = node("i", "", adds > 0 ? "up" : "");
        const width = 50 * Math.abs(adds) / longest;
        mark.style.width = width + "%";
        mark.style.left = (adds > 0 ? 50 : 50 - width) + "%";
        track.append(mark);
        cell.append(track);
      }
      made.append(node("td", feature), cell, node("td", adds.toFixed(3), "number"));
      for (const end of [adds - z * sd, adds + z * sd]) made.append(node("td", bar ? end.toFixed(3) : "", "number"));
      return made;
    };
    const rows = found.parts.map((part) => row(part, true));
    rows.push(row({ feature: "average training sample", adds: found.base, sd: 0 }, false));
    why.querySelector("tbody").replaceChildren(...rows);
    why.hidden = false;
  };

  const update = () => {
    const values = inputs.map((input, at) => read(input, features[at]));
    inputs.forEach((input, at) => {
      const value = values[at], { range } = features[at];
      const wrong = value === undefined && input.value.trim() !== "";
      wrong ? input.setAttribute("aria-invalid", "true") : input.removeAttribute("aria-invalid");
      const far = range && value !== null && value !== undefined && (seen(value) < range[0] || seen(value) > range[1]);
      input.parentNode.classList.toggle("far", Boolean(far));
    });
    const lacking = values.filter((value) => value === undefined).length;
    const empty = inputs.every((input) => input.value.trim() === "");
    why.hidden = true;
    delete answer.dataset.found;
    if (empty) return say("Enter values.");
    if (lacking) return say(`${lacking} of ${inputs.length} values are still to be entered or are no numbers.`);
    const found = compute(values);
    // For whoever checks the page: all digits.
    answer.dataset.found = JSON.stringify(found);
    return draw(found);
  };
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(update));
})();
