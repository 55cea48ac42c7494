import { useState } from "preact/hooks";
import type { RuleMatch, RuleOverview, WayOverview } from "../../../../src/features/notifications/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { linkTo } from "../../state/navigation.ts";
import { ask } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/detail-section.tsx";
import { clockMinutes, clockTime } from "../../ui/time.ts";
import { complain, toast } from "../../ui/toasts.ts";
import { allow, permission } from "./browser-notification.ts";
import { ruleWords } from "./rule-words.ts";

/** The rules, each with what it matches now. */
export function Rules({ rules }: { rules: readonly RuleOverview[] }) {
  return (
    <Section title="Rules, and what they match now">
      {rules.length === 0 && (
        <p class="soft">There are no rules. Add the key “notifications” to the configuration (docs/notifications.md).</p>
      )}
      {rules.map((rule) => (
        <section key={rule.name} class="notify-rule" aria-label={`Rule ${rule.name}`}>
          <h3>
            {rule.name} <span class="soft">to {rule.ways.join(", ")}</span>
            {rule.quiet_now && <span class="notify-mark">quiet now</span>}
          </h3>
          <p class="soft">{ruleWords(rule).join(" · ")}</p>
          {rule.matches.length === 0 ? (
            <p>Nothing now.</p>
          ) : (
            <ul class="notify-list" aria-label={`Matches of ${rule.name}`}>
              {rule.matches.map((match) => (
                <Match key={`${match.kind} ${match.process} ${match.host} ${match.since}`} match={match} />
              ))}
            </ul>
          )}
          {rule.more > 0 && <p class="soft">and {rule.more} more</p>}
        </section>
      ))}
    </Section>
  );
}

const STATES = { pending: "not sent yet", batched: "is sent soon", notified: "notified", silenced: "silenced" } as const;

function Match({ match: { kind, process, text, since, state, counts } }: { match: RuleMatch }) {
  return (
    <li>
      <span class="notify-main">
        <b>{kind}</b> {process !== null && <a {...linkTo({ kind: "process", name: process })}>{process}</a>}{" "}
        <span class="soft">since {clockTime(since)}</span>
        <span class="notify-text">{text}</span>
      </span>
      <span class={`notify-state ${state}`}>{counts === null ? STATES[state] : `counts at ${clockTime(counts)}`}</span>
    </li>
  );
}

/** The ways, each with a test. */
export function Ways({ ways }: { ways: readonly WayOverview[] }) {
  return (
    <Section title="Ways">
      {ways.length === 0 && <p class="soft">There are no ways.</p>}
      <ul class="notify-list" aria-label="Ways">
        {ways.map((way) => (
          <Way key={way.name} way={way} />
        ))}
      </ul>
    </Section>
  );
}

function Way({ way: { name, kind, target, waiting, last_state, last_time } }: { way: WayOverview }) {
  const [isBusy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    try {
      const answer = await ask({ type: "test_way", way: name }, "way_tested");
      const problem = !answer.ok ? answer.message : answer.sent ? null : answer.result;
      toast(problem === null ? `Test sent on ${name}` : `The test was not sent on ${name}: ${problem}`, { bad: problem !== null });
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  const last =
    last_state === null || last_time === null
      ? "nothing sent yet"
      : `last ${last_state === "sent" ? "sent" : "given up"} ${clockMinutes(last_time)}`;
  return (
    <li>
      <span class="notify-main">
        <b>{name}</b> {kind} <span class="soft">{target}</span>
        <span class={last_state === "failed" ? "notify-text bad" : "notify-text soft"}>
          {last}
          {waiting > 0 && `, ${waiting} waiting`}
        </span>
        {kind === "browser" && <BrowserPermission />}
      </span>
      <Button
        needsManager
        enabled={!isBusy}
        forbidden={refusalOf({ type: "test_way" }, "A test")}
        label={`Send a test on ${name}`}
        onClick={() => void test()}
      >
        Test
      </Button>
    </li>
  );
}

function BrowserPermission() {
  switch (permission.value) {
    case "granted":
      return <span class="notify-text soft">This browser shows them.</span>;
    case "denied":
      return <span class="notify-text soft">This browser is set to block them: they are shown in the page.</span>;
    case "missing":
      return <span class="notify-text soft">Browsers show them with https or on localhost; here they are shown in the page.</span>;
    case "default":
      return (
        <span class="notify-text">
          <Button onClick={() => void allow()}>Allow in this browser</Button>
        </span>
      );
  }
}
