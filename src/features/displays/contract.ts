import { z } from "zod";
import { runId, session, streamName } from "../../contract/fields.ts";

/** An X client of a run with `x11: {forward: true}` that waits for the manager; repeated until the manager accepts it or the wait ends. */
const x11Waiting = z.object({ connection: z.string().min(1).max(64), run_id: runId, name: z.string() });
export type X11Waiting = z.infer<typeof x11Waiting>;

const authorization = z.object({ name: z.string().max(64), data: z.base64().max(344) });

export const X11_REQUESTS = {
  /** Joins a waiting X client with a stream; its setup packet comes first, without the cookie. `not_found` if it no longer waits. */
  x11_accept: {
    request: z.object({ session, stream: streamName, connection: z.string().min(1).max(64) }),
    response: z.object({}),
  },
  /** Opens a connection to the X server of a display of the host; returns the cookie of the daemon's user for it, if there is one. */
  x11_connect: {
    request: z.object({ session, stream: streamName, display: z.int().min(0).max(59_535) }),
    response: z.object({ authorization: authorization.nullable() }),
  },
} as const;

export const X11_NEWS = { x11: x11Waiting } as const;

/** DISPLAY and XAUTHORITY of a run; null: XAUTHORITY is not set. */
const runDisplay = z.strictObject({ display: z.string().min(1), authority: z.string().min(1).nullable() });

export const X11_RUN = {
  /**
   * Target of the run's X clients: DISPLAY, and XAUTHORITY where it is known. `forward`: a display that the host makes for the run; the host passes
   * the clients to the manager. Omitted: as in the run's environment.
   */
  x11: z.union([runDisplay, z.strictObject({ forward: z.literal(true) })]).exactOptional(),
} as const;

/** The target of a stream of X clients: the process that they belong to, or the display of a host that they connect to. */
export function x11TargetText(processOrDisplay: string): string {
  return `X11 ${processOrDisplay}`;
}
