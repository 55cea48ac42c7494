import { useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import type { Silence } from "../../../../src/features/notifications/notification.ts";
import { refusalOf } from "../../state/access.ts";
import { client, command } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/detail-section.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { clockMinutes, lasting } from "../../ui/time.ts";

const LENGTHS = [
  [600, "10 minutes"],
  [3_600, "1 hour"],
  [7_200, "2 hours"],
  [28_800, "8 hours"],
  [86_400, "1 day"],
  [604_800, "1 week"],
] as const;

/** Silences, with a form for another one. */
export function Silences({ silences }: { silences: readonly Silence[] }) {
  return (
    <Section title="Silences">
      <SilenceForm />
      {silences.length === 0 ? (
        <p class="soft">Nothing is silenced.</p>
      ) : (
        <ul class="notify-list" aria-label="Silences">
          {silences.map(({ id, pattern, until, by, reason }) => (
            <li key={id}>
              <span class="notify-main">
                <b>{pattern}</b> until {clockMinutes(until)} <span class="soft">(another {lasting(until, true)})</span>
                <span class="soft">
                  {" "}
                  by {by}
                  {reason && `: ${reason}`}
                </span>
              </span>
              <Button
                needsManager
                forbidden={refusalOf({ type: "remove_silence" }, "Ending a silence")}
                label={`End the silence of ${pattern}`}
                onClick={() => void command({ type: "remove_silence", id })}
              >
                End
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function SilenceForm() {
  const refusal = refusalOf({ type: "create_silence" }, "A silence");
  return refusal === null ? <NewSilence /> : <p class="soft">{refusal}</p>;
}

function NewSilence() {
  const [pattern, setPattern] = useState("");
  const [length, setLength] = useState(3_600);
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const create = async () => {
    if (pattern.trim() === "") return setProblem("Give the name of a process, group or host, or a pattern.");
    try {
      await client.request({ type: "create_silence", pattern: pattern.trim(), seconds: length, reason: reason.trim() });
      setProblem(null);
      setPattern("");
      setReason("");
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <form
      class="notify-form"
      aria-label="New silence"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Labelled text="Process, group, host or pattern">
        <input
          spellcheck={false}
          autocomplete="off"
          maxLength={1_024}
          value={pattern}
          onInput={(event) => setPattern(event.currentTarget.value)}
        />
      </Labelled>
      <Labelled text="For">
        <select value={length} onChange={(event) => setLength(Number(event.currentTarget.value))}>
          {LENGTHS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled text="Reason">
        <input autocomplete="off" maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </Labelled>
      <button type="submit">Silence</button>
      {problem !== null && (
        <p class="bad notify-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
