import { type ShownState, shownState, stateText, wordOf } from "../../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";

/**
 * The shapes of states, so that they differ not only by colour: filled if alive, a ring if not, a triangle or cross if something is wrong, dashed
 * if not known. A cross is for a final failure.
 */
const SHAPES: Record<ShownState, string> = {
  ready: "M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11Zm-2.6 5.6 1.8 1.9 3.5-3.9",
  started: "M8 3a5 5 0 1 1 0 10a5 5 0 0 1 0-10Z",
  starting: "M8 3a5 5 0 1 1-5 5",
  waiting: "M4.5 3h7M4.5 13h7M5 3l6 10M11 3 5 13",
  stopping: "M4.5 4.5h7v7h-7z",
  backoff: "M8 2.5 14 13H2ZM8 6.5v3M8 11.2v.3",
  error: "M4 4l8 8M12 4l-8 8",
  lost: "M8 3a5 5 0 1 1 0 10a5 5 0 0 1 0-10Z",
  completed: "M3 8.5l3.2 3.5L13 4.5",
  stopped: "M8 3.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9Z",
};

interface MarkProps {
  state: ShownState;
  /** Whether the state is only the last one known. */
  isOld?: boolean;
  /** Whether the state is over: the mark of a transitional state then stands still. */
  isPast?: boolean;
  /** The label, if the shape does not stand for a state. */
  label?: string;
}

export function StateMark({ state, isOld = false, isPast = false, label = wordOf(state) }: MarkProps) {
  return (
    <svg
      class={`mark mark-${state} ${isOld ? "old" : ""} ${isPast ? "past" : ""}`}
      viewBox="0 0 16 16"
      width="14"
      height="14"
      role="img"
      aria-label={label}
    >
      <path d={SHAPES[state]} />
    </svg>
  );
}

/** The mark of a process: dashed if its host is not connected, whatever its state was. */
export function ProcessMark({ process }: { process: Process }) {
  return <StateMark state={shownState(process)} isOld={!process.host_ready} />;
}

/** `text`: shown instead of the word for the state. */
export function StateChip({ state, text = wordOf(state) }: { state: ShownState; text?: string }) {
  return (
    <span class={`chip chip-${state}`}>
      <StateMark state={state} />
      {text}
    </span>
  );
}

export function ProcessChip({ process }: { process: Process }) {
  return <StateChip state={shownState(process)} text={stateText(process)} />;
}
