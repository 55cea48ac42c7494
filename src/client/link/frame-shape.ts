import { parseJson } from "../../base/json.ts";
import type { ManagerFrame } from "../../protocol/frames/frames.ts";

/** The server at the address may be another program, so a frame may have any fields. */
type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isNamed = (value: unknown) => isObject(value) && typeof value.name === "string";
const areNamed = (value: unknown) => Array.isArray(value) && value.every(isNamed);
const isTree = (value: unknown): boolean =>
  Array.isArray(value) && value.every((node) => isObject(node) && isNamed(node) && (node.type !== "group" || isTree(node.children)));
const isOutput = ({ name, output, offset }: Fields) => typeof name === "string" && typeof output === "string" && typeof offset === "number";

/** The fields that this client relies on, for the frames that it reads itself. The schemas of all frames are too large for the page. */
const SHAPES: Readonly<Record<string, (frame: Fields) => boolean>> = {
  snapshot: ({ ok, processes, host_list, process_tree }) =>
    ok === false || (areNamed(processes) && areNamed(host_list) && isTree(process_tree)),
  process_tree: ({ process_tree }) => isTree(process_tree),
  process_upsert: ({ process }) => isNamed(process),
  process_remove: ({ name }) => typeof name === "string",
  host_upsert: ({ host }) => isNamed(host) && isObject(host) && Array.isArray(host.all_names),
  log_batch: ({ entries }) => Array.isArray(entries) && entries.every(isObject),
  loggers_snapshot: ({ loggers }) => areNamed(loggers),
  process_output: isOutput,
  process_output_snapshot: (frame) => frame.ok === false || isOutput(frame),
};

/** A frame of a manager; null for any other text. */
export function parseFrame(text: string): ManagerFrame | null {
  const frame = parseJson(text);
  if (!isObject(frame) || typeof frame.type !== "string") return null;
  const shape = Object.hasOwn(SHAPES, frame.type) ? SHAPES[frame.type] : undefined;
  return shape === undefined || shape(frame) ? (frame as unknown as ManagerFrame) : null;
}
