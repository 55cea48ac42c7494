import { MgrError, messageOf } from "../../../../base/errors.ts";
import { isShallow, MAX_JSON_LEVELS, parseJson } from "../../../../base/json.ts";
import { messageReader, parseMessageDefinition } from "../../../data-plane/samples/message-definition.ts";
import type { Sample, TopicSamples } from "../samples.ts";
import { cdrColumns } from "./cdr-columns.ts";
import { type Column, emptyCell } from "./column.ts";
import { JsonColumns } from "./json-columns.ts";

/** Number of samples that are read in one turn of the event loop. */
const TURN_SAMPLES = 200;

/** The samples of one topic as rows. */
export interface TopicTable {
  readonly source: TopicSamples;
  /** Columns for the times, the counter, whether the message could be decoded, and why not. */
  readonly about: readonly Column[];
  readonly fields: readonly Column[];
  /** Why the messages are shown as bytes although they have a definition; null: no problem. */
  readonly problem: string | null;
  /** Returns the rows: the cells of `about`, then those of `fields`. A row is valid until the next one. */
  readonly rows: () => AsyncGenerator<readonly unknown[]>;
}

/** Called for each sample in each pass. It throws to end the writing. */
export type OnSample = () => void;

interface Decoding {
  readonly decode: (payload: Uint8Array) => unknown;
  readonly fields: readonly Column[];
  readonly problem: string | null;
}

const BYTES: Column = { name: "payload", element: "uint8", shape: "variable", at: (message) => message };

/** Reads the samples once, to determine the columns. */
export async function topicTable(source: TopicSamples, onSample: OnSample): Promise<TopicTable> {
  const json = source.encoding === "json" && !source.only_ts ? new JsonColumns(source.definition) : null;
  let hasPublished = false;
  let hasSequence = false;
  let hasNotes = false;
  for await (const { published, sequence, payload } of samplesOf(source, onSample)) {
    hasPublished ||= published !== null;
    hasSequence ||= sequence !== null;
    if (json === null || payload === null) continue;
    const { message } = jsonOf(payload);
    if (message === undefined) hasNotes = true;
    else json.add(message);
  }
  const { decode, fields, problem } = source.only_ts ? BARE : json ? jsonDecoding(json) : cdrDecoding(source);
  const isDecoded = decode !== identity;
  const about = aboutColumns({ hasPublished, hasSequence, isDecoded, hasNotes });
  // All rows share one array: V8 keeps arrays that are made for each sample until its old generation is full, which takes tens of MiB.
  const cells: unknown[] = new Array(about.length + fields.length).fill(null);
  const row = (sample: Sample) => {
    const message = attempt(decode, sample.payload);
    const decoded = message !== undefined;
    const of: About = { ...sample, decoded, note: hasNotes && !decoded && sample.payload ? jsonOf(sample.payload).problem : "" };
    let at = 0;
    for (const column of about) cells[at++] = column.at(of) ?? emptyCell(column);
    for (const column of fields) cells[at++] = (message === undefined ? null : column.at(message)) ?? emptyCell(column);
    return cells;
  };
  async function* rows() {
    for await (const sample of samplesOf(source, onSample)) yield row(sample);
  }
  return { source, about, fields, problem, rows };
}

async function* samplesOf(source: TopicSamples, onSample: OnSample): AsyncGenerator<Sample> {
  let count = 0;
  for await (const sample of source.samples()) {
    count++;
    onSample();
    yield sample;
    if (count % TURN_SAMPLES === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (count !== source.count)
    throw new MgrError("internal", `topic ${source.topic}: ${count} samples were read, ${source.count} were expected. Download again.`);
}

const decoder = new TextDecoder();
const identity = (payload: Uint8Array): unknown => payload;
const BARE: Decoding = { decode: identity, fields: [], problem: null };

function jsonDecoding(json: JsonColumns): Decoding {
  return { decode: parsedJson, fields: json.columns(), problem: null };
}

function cdrDecoding({ encoding, definition }: TopicSamples): Decoding {
  if (encoding === "raw" || encoding === "protobuf") return { decode: identity, fields: [BYTES], problem: null };
  try {
    const definitions = parseMessageDefinition(definition);
    return { decode: messageReader(definitions), fields: cdrColumns(definitions), problem: null };
  } catch (error) {
    return { decode: identity, fields: [BYTES], problem: messageOf(error) };
  }
}

function parsedJson(payload: Uint8Array): unknown {
  return jsonOf(payload).message;
}

/** `message` is undefined if it cannot be decoded; `problem` has the reason. */
function jsonOf(payload: Uint8Array): { readonly message: unknown; readonly problem: string } {
  const message = parseJson(decoder.decode(payload));
  if (message === undefined) return { message, problem: "not JSON" };
  if (isShallow(message)) return { message, problem: "" };
  return { message: undefined, problem: `nested deeper than ${MAX_JSON_LEVELS} levels` };
}

/** Undefined if the payload cannot be decoded; a column of the row says so. */
function attempt(decode: (payload: Uint8Array) => unknown, payload: Uint8Array | null): unknown {
  if (payload === null) return undefined;
  try {
    return decode(payload);
  } catch {
    return undefined;
  }
}

type About = Sample & { decoded: boolean; note: string };

/** The optional columns that a topic has. */
interface AboutTopic {
  readonly hasPublished: boolean;
  readonly hasSequence: boolean;
  readonly isDecoded: boolean;
  readonly hasNotes: boolean;
}

function aboutColumns({ hasPublished, hasSequence, isDecoded, hasNotes }: AboutTopic): Column[] {
  const column = (name: string, element: Column["element"], at: (sample: About) => unknown): Column => ({
    name,
    element,
    shape: "scalar",
    at: (sample) => at(sample as About),
  });
  return [
    column("time_ns", "int64", ({ received }) => received),
    column("time", "float64", ({ received }) => seconds(received)),
    ...(hasPublished
      ? [
          column("publish_time_ns", "int64", ({ published }) => published ?? -1n),
          column("publish_time", "float64", ({ published }) => (published === null ? Number.NaN : seconds(published))),
        ]
      : []),
    ...(hasSequence ? [column("sequence", "int64", ({ sequence }) => sequence ?? -1n)] : []),
    ...(isDecoded ? [column("decoded", "bool", ({ decoded }) => decoded)] : []),
    ...(hasNotes ? [column("note", "string", ({ note }) => note)] : []),
  ];
}

function seconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e9;
}
