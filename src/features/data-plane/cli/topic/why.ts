import { visible } from "../../../../base/text/visible-text.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { paint, printJson, table } from "../../../../cli/output/table.ts";
import { rateText } from "../../../../client/shown/units.ts";
import { ageText, placeText } from "../../trace-text.ts";
import type { TraceStep } from "../../wire/topic-trace.ts";

export interface WhyFlags extends ConnectionFlags {
  to?: string;
  json?: boolean;
}

/** `mgr topic why NAME`: says at which place messages get lost. The exit code is 1 if there is one. */
export async function topicWhy(name: string, { to, ...flags }: WhyFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { steps, wrong } = await client.request({ type: "trace_topic", name, ...(to === undefined ? {} : { to }) });
    if (flags.json) printJson({ steps, wrong });
    else process.stdout.write(`${traceText(steps, wrong)}\n`);
    if (wrong !== null) process.exitCode = 1;
  });
}

export function traceText(steps: TraceStep[], wrong: number | null): string {
  const number = (value: number | null) => (value === null ? "-" : String(value));
  const rows = table<TraceStep>(
    [
      { title: "", text: (step) => (step === steps[wrong ?? -1] ? "✗" : step.problem === null ? "✓" : "!") },
      { title: "STEP", text: ({ kind }) => kind },
      { title: "NAME", text: placeText },
      { title: "RATE", text: ({ rate }) => (rate === null ? "-" : rateText(rate)), right: true },
      { title: "MESSAGES", text: ({ messages }) => number(messages), right: true },
      { title: "LAST", text: ({ last_age_ms }) => ageText(last_age_ms), right: true },
      { title: "WAITING", text: ({ waiting }) => number(waiting), right: true },
      { title: "DROPPED", text: ({ dropped }) => number(dropped), right: true },
      { title: "DEFINITION", text: ({ definition }) => definition ?? "-", spare: 1 },
    ],
    steps,
  );
  const notes = steps.flatMap(({ note, ...step }) => (note === null ? [] : `${step.kind} ${visible(placeText(step))}: ${visible(note)}\n`));
  const about = `${rows}\n\n${notes.join("")}`;
  const first = steps[wrong ?? -1];
  if (first === undefined) return `${about}Nothing is wrong: messages arrive.`;
  return `${about}${paint("bold", `${first.kind} ${visible(placeText(first))}:`)} ${visible(first.problem ?? "")}\nWhat to do: ${visible(first.advice ?? "")}`;
}
