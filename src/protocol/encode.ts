import type { ErrorCode } from "../base/errors.ts";
import type { RequestId } from "./field-kinds.ts";
import type { AckFrame, ClientFrame, ErrorFrame, ManagerFrame } from "./frames.ts";

/** The text of a frame. Encode once, send to many. */
export function encodeFrame(frame: ManagerFrame): string {
  return JSON.stringify(frame);
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
