import { BehaviorSubject, Subject } from "rxjs";
import { ADMIN_GRANTS } from "../../base/access/access.ts";
import type { Principal } from "../../base/access/principal.ts";
import type { ManagerLink, ManagerLinkState } from "../../client/link/manager-link.ts";
import type { ManagerFrame } from "../../protocol/frames/frames.ts";
import type { RequestedView } from "../../transport/view.ts";
import type { Transport } from "../../transport/websocket.ts";

const EMBEDDER: Principal = { user: "in-process", via: "in-process", address: "", grants: ADMIN_GRANTS };

/** A link to a manager within the same program, by default for the program that embeds it: the frames of the WebSocket without a socket. */
export function inProcessLink(
  transport: Pick<Transport, "connect">,
  mode: RequestedView = { kind: "full" },
  principal: Principal = EMBEDDER,
): ManagerLink {
  const frames$ = new Subject<ManagerFrame>();
  const state$ = new BehaviorSubject<ManagerLinkState>({ kind: "open" });
  const connection = transport.connect({ principal, mode, receive: (text) => frames$.next(JSON.parse(text) as ManagerFrame) });
  return {
    frames$,
    state$,
    // The manager receives each frame in the turn in which it is sent.
    isFull: false,
    send(frame) {
      if (state$.value.kind !== "open") return false;
      connection.send(JSON.stringify(frame));
      return true;
    },
    close(reason = "closed by this program") {
      if (state$.value.kind !== "open") return;
      connection.close();
      state$.next({ kind: "closed", reason });
      frames$.complete();
    },
  };
}
