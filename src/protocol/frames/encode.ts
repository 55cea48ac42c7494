import type { ErrorCode } from "../../base/errors.ts";
import type { ProcessTreeNode } from "../resources/resources.ts";
import { type EncodedProcesses, encodeProcesses, PROCESSES_IN_PART } from "./encoded-processes.ts";
import type { RequestId } from "./field-kinds.ts";
import type { AckFrame, ClientFrame, ErrorFrame, ManagerFrame } from "./frames.ts";

/** Maximum size of one part of a tree, unless a piece of it is longer; characters: nearly all are one byte long. */
const PART_LENGTH = 56 * 1024;

/** Cached JSON of the members of groups that have only processes: these stay the same while the group's state changes. */
const encodedMembers = new WeakMap<readonly ProcessTreeNode[], string>();
/** Maximum number of members whose JSON is cached: more are encoded one by one, in several parts. */
const MAX_KEPT_MEMBERS = 500;

/** Encodes a frame, which can then be sent to many clients. */
export function encodeFrame(frame: ManagerFrame): Buffer {
  return Buffer.from(JSON.stringify(frame));
}

/**
 * Encodes a frame in parts, each created on demand: a snapshot of 10,000 processes in one piece blocks all clients for 50 ms, and
 * the tree alone of 100,000 for 75 ms. All parts show the state at the time when the frame was created. `shared`: what snapshots of all processes
 * share; null for a snapshot that shows some of them.
 */
export function* encodeInParts(frame: ManagerFrame, shared: EncodedProcesses | null = null): Generator<Buffer, undefined> {
  if (frame.type !== "snapshot") {
    yield encodeFrame(frame);
    return;
  }
  const { processes, process_tree, ...rest } = frame;
  let part = `${JSON.stringify(rest).slice(0, -1)},"process_tree":`;
  for (const piece of treePieces(process_tree)) {
    if (part.length + piece.length > PART_LENGTH) {
      yield Buffer.from(part);
      part = "";
    }
    part += piece;
  }
  const [begin, end] = [Buffer.from(`${part},"processes":[`), Buffer.from("]}")];
  const encoded = shared?.parts(processes) ?? encodeProcesses(processes);
  if (processes.length <= PROCESSES_IN_PART) {
    yield Buffer.concat([begin, ...encoded, end]);
    return;
  }
  yield begin;
  yield* encoded;
  yield end;
}

function* treePieces(nodes: readonly ProcessTreeNode[]): Generator<string> {
  const known = encodedMembers.get(nodes);
  if (known !== undefined) {
    yield known;
    return;
  }
  if (nodes.length <= MAX_KEPT_MEMBERS && nodes.every(({ type }) => type === "process")) {
    const encoded = JSON.stringify(nodes);
    encodedMembers.set(nodes, encoded);
    yield encoded;
    return;
  }
  yield "[";
  for (const [index, node] of nodes.entries()) {
    const separator = index > 0 ? "," : "";
    if (node.type === "process") yield `${separator}${JSON.stringify(node)}`;
    else {
      const { children, ...group } = node;
      yield `${separator}${JSON.stringify(group).slice(0, -1)},"children":`;
      yield* treePieces(children);
      yield "}";
    }
  }
  yield "]";
}

export interface Refusal {
  readonly code: ErrorCode;
  /** A sentence for users. */
  readonly message: string;
}

/** The fields that could be read from the frame that is answered. */
export interface AnsweredFrame {
  readonly type?: string;
  readonly request_id?: RequestId;
}

export function errorFrame({ code, message }: Refusal, answered: AnsweredFrame = {}): ErrorFrame {
  const { type, request_id } = answered;
  return {
    type: "error",
    message,
    code,
    ...(type === undefined ? {} : { request_type: type }),
    ...(request_id === undefined ? {} : { request_id }),
  };
}

/** The acknowledgement of a command that has no result frame, or null if none is requested. */
export function ackFrame(frame: ClientFrame): AckFrame | null {
  return frame.request_id === undefined ? null : { type: "ack", request_type: frame.type, request_id: frame.request_id };
}
