import { visible } from "../../../base/text/visible-text.ts";
import { type Colour, type Column, paint, table } from "../../../cli/output/table.ts";
import { bytesText, spanText } from "../../../client/shown/units.ts";
import { recordedSpan } from "../client/recorded-span.ts";
import type { Recording } from "../wire.ts";

type RecordedTopic = Recording["topics"][number];
type RecordedFile = Recording["files"][number];

const STATE_COLOURS: Record<Recording["state"], Colour> = {
  recording: "green",
  starting: "cyan",
  stopping: "yellow",
  idle: "grey",
  error: "red",
};

interface Losses {
  readonly missed: number;
  readonly dropped: number;
}
/** Column of lost messages, in red if there are any. */
const lostColumn: Column<Losses> = {
  title: "LOST",
  text: ({ missed, dropped }) => String(missed + dropped),
  right: true,
  paint: ({ missed, dropped }, padded) => (missed + dropped > 0 ? paint("red", padded) : padded),
};

export function recordingList(recordings: Recording[]): string {
  const text = table<Recording>(
    [
      { title: "RECORDING", text: ({ name }) => name },
      { title: "STATE", text: ({ state }) => state, paint: ({ state }, padded) => paint(STATE_COLOURS[state], padded) },
      { title: "SIZE", text: ({ size }) => bytesText(size), right: true },
      { title: "DURATION", text: ({ files }) => durationText(recordedSpan(files)), right: true },
      { title: "MESSAGES", text: ({ messages }) => String(messages), right: true },
      lostColumn,
      { title: "FILES", text: ({ files }) => String(files.length), right: true },
      { title: "TOPICS", text: ({ patterns }) => patterns.join(" ") || "-" },
    ],
    recordings,
  );
  const problems = recordings.flatMap(({ name, problem }) => (problem === null ? [] : [paint("red", `${name}: ${problem}`)]));
  return [text, ...problems].join("\n");
}

/** One recording with its topics and files. */
export function recordingText(recording: Recording): string {
  const { name, state, problem, patterns, files, topics, size, messages, missed, dropped } = recording;
  return [
    fact("recording", name),
    fact("state", problem === null ? state : `${state}: ${problem}`),
    fact("topics", patterns.join(" ") || "-"),
    fact("started", recording.start_time === null ? "-" : `${recording.start_time} UTC`),
    fact("duration", durationText(recordedSpan(files))),
    fact("size", `${bytesText(size)} in ${files.length} ${files.length === 1 ? "file" : "files"}`),
    fact("messages", `${messages}, ${missed} missed, ${dropped} dropped`),
    ...(topics.length === 0 ? [] : ["", table<RecordedTopic>(TOPIC_COLUMNS, topics)]),
    ...(files.length === 0 ? [] : ["", table<RecordedFile>(FILE_COLUMNS, files)]),
  ].join("\n");
}

export const startedText = (name: string): string => visible(`${name}: recording`);

export function outcomeText({ name, problem, files, size }: Recording): string {
  const written = `${name}: stopped, ${files.length} ${files.length === 1 ? "file" : "files"}, ${bytesText(size)}`;
  return visible(problem === null ? written : `${written}; ${problem}`);
}

export function deletedText(name: string, file: string | undefined): string {
  return visible(file === undefined ? `${name}: deleted` : `${name}: ${file} deleted`);
}

export function exportedText(path: string, files: number): string {
  return visible(files === 1 ? path : `${path}, of ${files} files`);
}

export function damagedText(file: string, reason: string): string {
  return visible(`${file} is damaged, and not whole in the merged file: ${reason}`);
}

export function fact(title: string, text: string): string {
  return `${paint("bold", title.padEnd(12))} ${visible(text)}`;
}

export function durationText(milliseconds: number | null): string {
  return milliseconds === null ? "-" : spanText(milliseconds);
}

const TOPIC_COLUMNS: Column<RecordedTopic>[] = [
  { title: "TOPIC", text: ({ name }) => name },
  { title: "HOST", text: ({ host }) => host },
  { title: "MESSAGES", text: ({ messages }) => String(messages), right: true },
  { title: "MISSED", text: ({ missed }) => String(missed), right: true },
  { title: "DROPPED", text: ({ dropped }) => String(dropped), right: true },
];

const FILE_COLUMNS: Column<RecordedFile>[] = [
  { title: "FILE", text: ({ file }) => file },
  { title: "HOST", text: ({ host }) => host },
  { title: "SIZE", text: ({ size }) => bytesText(size), right: true },
  { title: "DURATION", text: (file) => durationText(recordedSpan([file])), right: true },
  { title: "MESSAGES", text: ({ messages }) => String(messages), right: true },
  lostColumn,
  {
    title: "",
    text: ({ is_growing, is_repaired }) => [is_growing ? "being written" : "", is_repaired ? "repaired" : ""].filter(Boolean).join(", "),
  },
];
