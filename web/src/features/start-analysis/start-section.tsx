import { durationText, PHASES, phasesOf } from "../../../../src/features/start-analysis/phases.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { linkTo, show } from "../../state/navigation.ts";
import { Button } from "../../ui/button.tsx";
import { Pair, Section } from "../../ui/detail-section.tsx";
import { useAnalysis } from "./use-analysis.ts";
import { startsOf } from "./views.ts";

const TERMS = { waiting: "Waited", starting: "Starting", until_ready: "Until ready" } as const;

/** How the process was started the last time; nothing if that is not known. */
export function StartSection({ process: { name } }: { process: Process }) {
  const { analysis, at } = useAnalysis(name);
  const start = analysis?.processes[0];
  if (start === undefined) return null;
  const { after, attempts } = start;
  const phases = phasesOf(start, at);
  return (
    <Section title="Last start">
      <dl class="pairs">
        {PHASES.map((each) => {
          const phase = phases.find((one) => one.name === each);
          if (phase === undefined) return null;
          return (
            <Pair key={each} term={TERMS[each]}>
              {durationText(phase.until - phase.from)}
              {each === "waiting" && after !== null && (
                <>
                  , last for <a {...linkTo({ kind: "process", name: after })}>{after}</a>
                </>
              )}
            </Pair>
          );
        })}
        {attempts > 1 && <Pair term="Attempts">{String(attempts)}</Pair>}
      </dl>
      <Button onClick={() => show(startsOf(name))}>Show what it waited for</Button>
    </Section>
  );
}
