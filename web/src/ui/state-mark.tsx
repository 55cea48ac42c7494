import type { ProcessState } from "../../../src/protocol/resources/resources.ts";

/** States by shape as well as by colour: filled when alive, a ring when not, a triangle or cross when something is wrong. */
const SHAPES: Record<ProcessState, string> = {
  ready: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11Zm-2.6 5.6 1.8 1.9 3.5-3.9",
  started: "M8 3a5 5 0 1 1 0 10a5 5 0 0 1 0-10Z",
  starting: "M8 3a5 5 0 1 1-5 5",
  waiting: "M4.5 3h7M4.5 13h7M5 3l6 10M11 3 5 13",
  stopping: "M4.5 4.5h7v7h-7z",
  backoff: "M8 2.5 14 13H2ZM8 6.5v3M8 11.2v.3",
  error: "M4 4l8 8M12 4l-8 8",
  stopped: "M8 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9Z",
};

export function StateMark({ state }: { state: ProcessState }) {
  return (
    <svg class={`mark mark-${state}`} viewBox="0 0 16 16" width="14" height="14" role="img" aria-label={state}>
      <path d={SHAPES[state]} />
    </svg>
  );
}

export function StateChip({ state }: { state: ProcessState }) {
  return (
    <span class={`chip chip-${state}`}>
      <StateMark state={state} />
      {state}
    </span>
  );
}
