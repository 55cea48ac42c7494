import type { FrameOf } from "../../../../src/protocol/frames/frames.ts";

export type Request = FrameOf<"start_recording">;
export type AlsoRecorded = NonNullable<Request["include"]>[number];

export const ALSO_RECORDED: readonly (readonly [AlsoRecorded, string])[] = [
  ["processes", "States of processes"],
  ["log", "The manager's log"],
  ["services", "Service calls of the page and of commands"],
  ["parameters", "Overrides of parameters"],
];

/** The values of the form; numbers are text as typed, empty: as configured. */
export interface RecordingForm {
  readonly name: string;
  readonly topics: readonly string[];
  /** Patterns, separated by spaces. */
  readonly terminals: string;
  readonly include: readonly AlsoRecorded[];
  readonly maxSizeMib: string;
  readonly maxMinutes: string;
  readonly maxFiles: string;
  readonly freeMib: string;
  readonly onFull: "" | "stop" | "delete_oldest";
}

export const EMPTY_FORM: RecordingForm = {
  name: "",
  topics: [],
  terminals: "",
  include: [],
  maxSizeMib: "",
  maxMinutes: "",
  maxFiles: "",
  freeMib: "",
  onFull: "",
};

const MIB = 1_048_576;

/** The request of the form. Empty fields are omitted: the configured values apply. */
export function requestOf(form: RecordingForm): Request {
  const { name, topics, include, maxSizeMib, maxMinutes, maxFiles, freeMib, onFull } = form;
  const terminals = form.terminals.split(/\s+/).filter(Boolean);
  return {
    type: "start_recording",
    name: name.trim(),
    ...(topics.length === 0 ? {} : { topics: [...topics] }),
    ...(terminals.length === 0 ? {} : { terminals }),
    ...(include.length === 0 ? {} : { include: [...include] }),
    ...given("max_size", maxSizeMib, MIB),
    ...given("max_duration", maxMinutes, 60),
    ...given("max_files", maxFiles, 1),
    ...given("min_free_space", freeMib, MIB),
    ...(onFull === "" ? {} : { delete_oldest: onFull === "delete_oldest" }),
  };
}

function given(field: string, text: string, unit: number): Record<string, number> {
  return text.trim() === "" ? {} : { [field]: Math.round(Number(text) * unit) };
}

/** A text about losses: "none", "12 of 1,000". */
export function lostText({ messages, missed, dropped }: { messages: number; missed: number; dropped: number }): string {
  const lost = missed + dropped;
  return lost === 0 ? "none" : `${lost.toLocaleString("en-US")} of ${(messages + lost).toLocaleString("en-US")}`;
}
