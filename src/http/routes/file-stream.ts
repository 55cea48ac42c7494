import type { RouteContext } from "../route.ts";
import type { Followers } from "../server/open-connections.ts";

/** Number of bytes that are read at a time. */
const PART_BYTES = 256 * 1024;

export interface ByteRange {
  readonly from: number;
  /** Offset after the last byte. */
  readonly end: number;
}

interface FileStreamOptions {
  readonly context: RouteContext;
  readonly followers: Followers;
  readonly range: ByteRange;
  readonly read: (from: number, max: number) => Promise<Uint8Array>;
  /** Called once, when the file is sent or the client has disconnected. */
  readonly onEnd?: () => void;
}

/** A file as a body, read on demand: at most one part is in memory. It ends with the login of its user. */
export function fileStream({ context, followers, range, read, onEnd }: FileStreamOptions): ReadableStream<Uint8Array> {
  const { principal, sessionId } = context.get("admission");
  const { disconnect } = context.env;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    unsubscribe();
    onEnd?.();
  };
  const unsubscribe = followers.add({ principal, sessionId }, () => {
    end();
    disconnect();
  });
  // A client that disconnects before the first part is read cancels nothing.
  context.req.raw.signal.addEventListener("abort", end, { once: true });
  let at = range.from;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at >= range.end) {
          end();
          controller.close();
          return;
        }
        try {
          const part = await read(at, Math.min(PART_BYTES, range.end - at));
          if (part.length === 0) throw new Error("the file ends early");
          at += part.length;
          controller.enqueue(part);
        } catch {
          // The length has already been sent: only a broken connection shows the failure to the client.
          end();
          disconnect();
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
