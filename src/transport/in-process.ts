import type { Principal } from "../base/access/principal.ts";
import { Connection, type ConnectionServices } from "./connection.ts";
import type { OutboxSocket } from "./outbox.ts";
import type { RequestedView } from "./view.ts";

export interface InProcessOptions {
  readonly principal: Principal;
  readonly mode: RequestedView;
  /** Each frame of the manager as JSON text; called in a turn of its own, never from within `send`. */
  readonly receive: (text: string) => void;
}

/** A connection without a socket: the same frames as on the WebSocket, within one program. */
export interface InProcessConnection {
  /** One client frame as JSON text. */
  send(text: string): void;
  close(): void;
}

export function connectInProcess(services: ConnectionServices, { principal, mode, receive }: InProcessOptions): InProcessConnection {
  let isOpen = true;
  let fragments: Buffer[] = [];
  const socket: OutboxSocket = {
    send(data, { fin }, done) {
      fragments.push(data);
      if (fin) {
        const text = Buffer.concat(fragments).toString();
        fragments = [];
        queueMicrotask(() => {
          if (isOpen) receive(text);
        });
      }
      queueMicrotask(done);
    },
    // The reader is the same program: frames passed to it are delivered.
    bufferedAmount: 0,
    cork() {},
    uncork() {},
  };
  const ignored = () => {};
  const observer = { congested: ignored, progress: ignored, drained: ignored, overflow: ignored };
  const connection = new Connection(services, { socket, observer, principal, client: null, view: mode });
  return {
    send: (text) => {
      if (isOpen) connection.receive(text);
    },
    close() {
      isOpen = false;
      connection.close();
    },
  };
}
