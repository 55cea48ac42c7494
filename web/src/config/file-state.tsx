import { StateMark } from "../ui/marks/state-mark.tsx";
import type { FileState } from "./problems.ts";

const LOOKS = {
  draft: { shown: "backoff", meaning: "Your changes are not saved" },
  saved: { shown: "waiting", meaning: "Saved, but the manager runs with an earlier text: reload to apply it" },
  "in effect": { shown: "completed", meaning: "The manager runs with this text" },
} as const;

/** Whether the text is a draft, saved, or in effect; always visible. */
export function FileStateChip({ state }: { state: FileState }) {
  const { shown, meaning } = LOOKS[state];
  return (
    <span class={`chip file-state chip-${shown}`} role="status" title={meaning}>
      <span class="in-row" aria-hidden="true">
        <StateMark state={shown} />
      </span>
      {state}
    </span>
  );
}
