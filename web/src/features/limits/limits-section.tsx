import { limitReasons } from "../../../../src/features/limits/client/limit-text.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { Section } from "../../ui/detail-section.tsx";
import { clockTime } from "../../ui/time.ts";
import { limitStateOf } from "./limits-store.ts";

/** Limits that the process has reached, and those of its cgroup that are not in effect. */
export function LimitsSection({ process }: { process: Process }) {
  const state = limitStateOf(process.name);
  if (state === undefined) return null;
  return (
    <Section title="Limits">
      {state.reached.length > 0 && (
        <ul>
          {limitReasons(state.reached, clockTime).map((reason) => (
            <li key={reason}>{reason.charAt(0).toUpperCase() + reason.slice(1)}</li>
          ))}
        </ul>
      )}
      {state.cgroup_problem !== null && <p class="soft">{`Cgroup: ${state.cgroup_problem}.`}</p>}
    </Section>
  );
}
