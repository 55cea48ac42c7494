import { z } from "zod";
import { runId } from "../../contract/run.ts";

const session = z.string().min(1).max(64);
const streamName = z.string().min(1).max(64);

/** An X client of a run with `x11: {forward: true}` waits for the manager: repeated until it is accepted or given up. */
export const x11Waiting = z.object({ connection: z.string().min(1).max(64), run_id: runId, name: z.string() });
export type X11Waiting = z.infer<typeof x11Waiting>;

const authorization = z.object({ name: z.string().max(64), data: z.base64().max(344) });

export const X11_REQUESTS = {
  /** Joins a waiting X client with a stream; its setup packet comes first, without the cookie. `not_found` if it does not wait any more. */
  x11_accept: {
    request: z.object({ session, stream: streamName, connection: z.string().min(1).max(64) }),
    response: z.object({}),
  },
  /** Opens a connection to the X server of a display of the host; the cookie of the daemon's user for it, if there is one. */
  x11_connect: {
    request: z.object({ session, stream: streamName, display: z.int().min(0).max(59_535) }),
    response: z.object({ authorization: authorization.nullable() }),
  },
} as const;
