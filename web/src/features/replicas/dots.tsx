import { shownState, stateText } from "../../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";

/** More dots than this are smaller, in three lines. */
const MAX_LARGE = 10;

/** A dot for each replica, in the order of their numbers. */
export function Dots({ members }: { members: readonly Process[] }) {
  const text = members.map((process) => `${process.display_name} ${stateText(process)}`);
  return (
    <span class={`replica-dots ${members.length > MAX_LARGE ? "small" : ""}`} role="img" aria-label={`Replicas: ${text.join(", ")}`}>
      {members.map((process, at) => (
        <i key={process.name} class={`replica-dot dot-${shownState(process)}`} title={text[at]} />
      ))}
    </span>
  );
}
