import type { RouteContext } from "../../../http/route.ts";
import type { Followers } from "../../../http/server/open-connections.ts";

/** A client that takes no bytes for this long is disconnected, milliseconds: its download counts against the limits. */
const MAX_STALL_MS = 60_000;

interface DownloadStreamOptions {
  readonly context: RouteContext;
  readonly followers: Followers;
  readonly bytes: AsyncIterator<Uint8Array>;
  /** Called once, when everything is sent or the client has disconnected. */
  readonly onEnd: () => void;
  readonly onDefect: (error: unknown) => void;
  readonly maxStallMs?: number;
}

/** A body of unknown length, read on demand: at most one piece is in memory. It ends with the login of its user. */
export function downloadStream(options: DownloadStreamOptions): ReadableStream<Uint8Array> {
  const { context, followers, bytes, onEnd, onDefect, maxStallMs = MAX_STALL_MS } = options;
  const { principal, sessionId } = context.get("admission");
  const { disconnect } = context.env;
  let isOver = false;
  let stalled: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(stalled);
    unsubscribe();
    onEnd();
    // Ends what creates the bytes. It may be busy with a piece, which then is its last one.
    void bytes.return?.().catch(onDefect);
  };
  const cut = () => {
    end();
    disconnect();
  };
  const unsubscribe = followers.add({ principal, sessionId }, cut);
  // A client that disconnects before the first piece is read cancels nothing.
  context.req.raw.signal.addEventListener("abort", end, { once: true });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        try {
          const piece = await bytes.next();
          if (isOver) return;
          if (piece.done) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(piece.value);
          stalled = setTimeout(cut, maxStallMs);
          stalled.unref();
        } catch (error) {
          if (isOver) return;
          onDefect(error);
          // The status has been sent already: only a broken connection shows the failure to the client.
          cut();
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
