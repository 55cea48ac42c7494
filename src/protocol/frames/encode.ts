import type { ErrorCode } from "../../base/errors.ts";
import type { Process } from "../resources/resources.ts";
import type { RequestId } from "./field-kinds.ts";
import type { AckFrame, ClientFrame, ErrorFrame, ManagerFrame } from "./frames.ts";

/** Length of one part of a long frame, characters. */
const PART_LENGTH = 60 * 1024;

/** Encoded text of processes that were sent. Encoding them for each snapshot costs 63 % more processor time (bench/snapshot.ts: 7.7 instead of 4.7 ms). */
const processTexts = new WeakMap<Process, string>();

/** The text of a frame: encode it once and send it to many. The process objects in it must not be modified afterwards. */
export function encodeFrame(frame: ManagerFrame): string {
  if (frame.type === "process_upsert") {
    const { process, ...rest } = frame;
    return `${JSON.stringify(rest).slice(0, -1)},"process":${processText(process)}}`;
  }
  return JSON.stringify(frame);
}

/**
 * The same text in parts, each created on demand: a snapshot of 10,000 processes in one piece blocks all clients for 50 ms. All parts show
 * the state at the time when the frame was created.
 */
export function* encodeInParts(frame: ManagerFrame): Generator<string> {
  if (frame.type !== "snapshot") {
    yield encodeFrame(frame);
    return;
  }
  const { processes, ...rest } = frame;
  let part = `${JSON.stringify(rest).slice(0, -1)},"processes":[`;
  for (const [index, process] of processes.entries()) {
    if (part.length > PART_LENGTH) {
      yield part;
      part = "";
    }
    part += `${index === 0 ? "" : ","}${processText(process)}`;
  }
  yield `${part}]}`;
}

function processText(process: Process): string {
  const known = processTexts.get(process);
  if (known !== undefined) return known;
  const text = JSON.stringify(process);
  processTexts.set(process, text);
  return text;
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
