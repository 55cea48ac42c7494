import { useState } from "preact/hooks";
import { rateText } from "../../../../../src/client/shown/units.ts";
import { ageText, placeText } from "../../../../../src/features/data-plane/trace-text.ts";
import type { TraceStep } from "../../../../../src/features/data-plane/wire/topic-trace.ts";
import { ask } from "../../../state/store.ts";
import { Button } from "../../../ui/button.tsx";
import { complain } from "../../../ui/toasts.ts";

interface Trace {
  readonly steps: readonly TraceStep[];
  readonly wrong: number | null;
}

/** Finds out why messages of a topic do not arrive. */
export function TraceSection({ topic }: { topic: string }) {
  const [trace, setTrace] = useState<Trace | null>(null);
  const [isMeasuring, setMeasuring] = useState(false);
  const measure = () => {
    setMeasuring(true);
    ask({ type: "trace_topic", name: topic }, "topic_trace")
      .then((answer) => answer.ok && setTrace(answer))
      .catch(complain)
      .finally(() => setMeasuring(false));
  };
  return (
    <section class="detail-section">
      <h2>
        Way to the subscriber{" "}
        <Button class="flat" enabled={!isMeasuring} needsManager onClick={measure}>
          {isMeasuring ? "Measuring…" : "Why does it not arrive?"}
        </Button>
      </h2>
      {trace !== null && (
        <>
          <ol class="trace-steps">
            {trace.steps.map((step) => (
              <li key={`${step.kind} ${step.name}`} class={step.problem === null ? "" : "bad"}>
                {step.kind} {placeText(step)} <span class="soft">{figuresOf(step).join(", ")}</span>
                {step.note !== null && <div>{step.note}</div>}
                {step.problem !== null && <div>{step.problem}</div>}
              </li>
            ))}
          </ol>
          <p>{trace.wrong === null ? "Nothing is wrong: messages arrive." : `What to do: ${trace.steps[trace.wrong]?.advice}`}</p>
        </>
      )}
    </section>
  );
}

function figuresOf({ rate, messages, last_age_ms, waiting, dropped, definition }: TraceStep): string[] {
  return [
    ...(rate === null ? [] : [rateText(rate)]),
    ...(messages === null ? [] : [`${messages.toLocaleString("en-US")} messages`]),
    ...(last_age_ms === null ? [] : [`last ${ageText(last_age_ms)}`]),
    ...(waiting ? [`${waiting} waiting`] : []),
    ...(dropped ? [`${dropped} dropped`] : []),
    ...(definition === null ? [] : [definition]),
  ];
}
