import type { ErrorCode } from "../base/errors.ts";
import type { RequestId } from "./field-kinds.ts";
import type { AckFrame, ClientFrame, ErrorFrame, ManagerFrame } from "./frames.ts";
import type { Process } from "./resources.ts";

/** Of processes that have been told: a snapshot of 10,000 joins texts that are there instead of holding everybody up for 50 ms. */
const processTexts = new WeakMap<Process, string>();

/** The text of a frame. Encode once, send to many. What it tells of processes has to be left as it is from then on. */
export function encodeFrame(frame: ManagerFrame): string {
  if (frame.type === "process_upsert") {
    const { process, ...rest } = frame;
    return withField(rest, "process", processText(process));
  }
  if (frame.type === "snapshot") {
    const { processes, ...rest } = frame;
    return withField(rest, "processes", `[${processes.map(processText).join(",")}]`);
  }
  return JSON.stringify(frame);
}

function processText(process: Process): string {
  const known = processTexts.get(process);
  if (known !== undefined) return known;
  const text = JSON.stringify(process);
  processTexts.set(process, text);
  return text;
}

/** `rest`, which has a type at least, and one field more. */
function withField(rest: object, field: string, text: string): string {
  return `${JSON.stringify(rest).slice(0, -1)},"${field}":${text}}`;
}

export interface Refusal {
  readonly code: ErrorCode;
  /** A sentence for a person. */
  readonly message: string;
}

/** What is known of the frame that is answered. */
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

/** The acknowledgement of a command that has no answer of its own, or null where none is wanted. */
export function ackFrame(frame: ClientFrame): AckFrame | null {
  return frame.request_id === undefined ? null : { type: "ack", request_type: frame.type, request_id: frame.request_id };
}
