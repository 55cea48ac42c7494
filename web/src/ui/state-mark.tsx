import { type ShownState, shownState, stateText, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { Process } from "../../../src/protocol/resources/resources.ts";

/**
 * States by shape as well as by colour: filled when alive, a ring when not, a triangle or cross when something is wrong, dashed when it is
 * not known. A cross is for what has failed for good.
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
  /** It was the last one known. */
  isOld?: boolean;
  /** It is over: the mark of a state that passes stands still. */
  isPast?: boolean;
  /** Where the shape stands for something else than a state. */
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

/** The mark of a process: dashed where its host is not connected, whatever its state was. */
export function ProcessMark({ process }: { process: Process }) {
  return <StateMark state={shownState(process)} isOld={!process.host_ready} />;
}

/** `text`: in the place of the word for the state. */
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
