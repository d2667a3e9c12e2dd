// The irregularity assistant: what happened? → questions → the book's answer, and one button for each permitted step.
import {html, useEffect, useState} from "./vendor/preact.js";
import {t} from "./words.js";
import {Dialog} from "./dealer_command.js";

// The next question or the answer: {ask} or {say, clause, steps}; {problem} if there is none.
async function ask(table, kase, facts) {
  const query = new URLSearchParams({case: kase, facts: JSON.stringify(facts)});
  const answer = await fetch(`/data/assistant/${encodeURIComponent(table)}?${query}`);
  const found = await answer.json();
  return answer.ok ? found : {problem: found.say};
}

function Cases({groups, choose}) {
  return html`
    <h2>${t("dealer.what_happened")}</h2>
    <div class="groups">
      ${Object.entries(groups).map(
        ([group, cases]) => html`
          <section key=${group}><h3>${t(`dealer.group_${group}`)}</h3>
            ${cases.map((one) => html`<button key=${one} class="plain" onClick=${() => choose(one)}>${t(`dealer.case_${one}`)}</button>`)}
          </section>`,
      )}
    </div>`;
}

function Question({fact, answer}) {
  return html`
    <h2>${t(`dealer.fact_${fact}`)}</h2>
    <p class="row yes-no">
      <button onClick=${() => answer(true)}>${t("dealer.yes")}</button>
      <button onClick=${() => answer(false)}>${t("dealer.no")}</button>
    </p>`;
}

function Steps({answer, press}) {
  return html`
    <p class="answer">${answer.say} ${answer.clause ? html`<small>${t("dealer.rule", {clause: answer.clause})}</small>` : null}</p>
    <div class="steps">
      ${answer.steps.map(
        (step) => html`
          <button key=${step.name} class=${step.alone ? "" : "plain"} onClick=${() => press(step)}>
            ${t(`dealer.step_${step.name}`)}${step.role ? html`<small>${t("dealer.with", {role: step.role})}</small>` : null}
          </button>`,
      )}
    </div>`;
}

export function Assistant({table, groups, close, press}) {
  const [kase, setCase] = useState("");
  const [facts, setFacts] = useState({});
  const [answer, setAnswer] = useState(null);
  useEffect(() => {
    let current = true;
    if (kase) ask(table, kase, facts).then((found) => current && setAnswer(found));
    return () => {
      current = false;
    };
  }, [kase, facts]);
  const back = () => {
    setAnswer(null);
    setFacts({});
    setCase("");
  };
  let part = html`<${Cases} groups=${groups} choose=${setCase} />`;
  if (kase && !answer) part = html`<p>${t("dealer.wait")}</p>`;
  else if (answer?.problem) part = html`<p role="alert">${answer.problem}</p>`;
  else if (answer?.ask) part = html`<${Question} fact=${answer.ask} answer=${(value) => setFacts({...facts, [answer.ask]: value})} />`;
  else if (answer) part = html`<${Steps} answer=${answer} press=${press} />`;
  return html`
    <${Dialog} label=${t("dealer.what_happened")} close=${close}>
      ${kase ? html`<p class="case">${t(`dealer.case_${kase}`)}</p>` : null}
      ${part}
      <p class="row">
        ${kase ? html`<button class="plain" onClick=${back}>${t("dealer.back")}</button>` : null}
        <button class="plain" onClick=${close}>${t("dealer.close")}</button>
      </p>
    <//>`;
}
