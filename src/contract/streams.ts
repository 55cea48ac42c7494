/** Maximum number of bytes that one end sends beyond what the other end's reader has consumed. */
export const STREAM_WINDOW = 256 * 1024;
/** Maximum number of bytes in one frame. */
export const STREAM_CHUNK = 32 * 1024;
/** Maximum number of open streams of a host; further ones are refused with `busy`. */
export const MAX_STREAMS = 256;

/**
 * The frames of a stream. Offsets count the bytes of one direction from its beginning.
 *
 *   data     the bytes `data`, which begin at `offset`
 *   end      this direction ends at `offset`; the other one continues
 *   credit   the reader has consumed everything before `offset`; the end counts as one more byte
 *   resend   something was lost: send again from `offset` on
 *   probe    everything before `offset` was sent; answered by `credit`, or by `resend` if something is missing
 *   reset    ends both directions; `data` is the reason
 */
export type StreamFrameKind = "data" | "end" | "credit" | "resend" | "probe" | "reset";

export interface StreamFrame {
  /** Name of the stream, chosen by the manager. */
  readonly stream: string;
  readonly kind: StreamFrameKind;
  readonly offset: number;
  readonly data: Uint8Array;
}
