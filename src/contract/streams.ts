/** Most bytes of a stream that one end sends beyond what the other end's reader has taken. */
export const STREAM_WINDOW = 256 * 1024;
/** Most bytes in one frame. */
export const STREAM_CHUNK = 32 * 1024;
/** Streams that a host has open at the same time; one more is `busy`. */
export const MAX_STREAMS = 256;

/**
 * What both ends of a stream say to each other. Offsets count the bytes of one direction from its beginning.
 *
 *   data     `data` stands at `offset`
 *   end      nothing comes after `offset` in this direction; the other one goes on
 *   credit   the reader has taken everything before `offset`; the end counts as one byte more
 *   resend   something was lost on the way: send again from `offset` on
 *   probe    everything before `offset` was sent; answered by `credit`, or `resend` if it has not all come
 *   reset    it is over in both directions; `data` says why
 */
export type StreamFrameKind = "data" | "end" | "credit" | "resend" | "probe" | "reset";

export interface StreamFrame {
  /** Made up by the manager for each stream. */
  readonly stream: string;
  readonly kind: StreamFrameKind;
  readonly offset: number;
  readonly data: Uint8Array;
}
