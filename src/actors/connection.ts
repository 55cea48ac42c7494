import type { ConnectionEvent, ConnectionInput } from "./connection-machine.ts";
import { CLOSE_MS, connectionMachine } from "./connection-machine.ts";
import type { ActorSystem } from "./system.ts";

export type ConnectionState = "flowing" | "congested" | "closing" | "closed";

/** A connection's actor as the transport sees it, without its statechart. */
export interface ConnectionActor {
  send(event: ConnectionEvent): void;
  state(): ConnectionState;
}

/**
 * Starts the actor of connection `id`. It is removed from the actor system when the socket has closed; when it fails, the socket is closed with 1011
 * (docs/design/runtime-invariants.md, "Actors"). Events that arrive after its end are ignored.
 */
export function openConnection(system: ActorSystem, id: string, effects: ConnectionInput): ConnectionActor {
  const failed = () => {
    effects.close(1011, "internal error");
    system.clock.setTimeout(() => effects.terminate(), CLOSE_MS);
  };
  system.spawn("connection", id, () => ({ machine: connectionMachine, input: effects }), failed);
  const state = (): ConnectionState => {
    const snapshot = system.get("connection", id)?.getSnapshot();
    if (!snapshot || snapshot.matches("closed")) return "closed";
    if (snapshot.matches("closing")) return "closing";
    return snapshot.matches({ open: { flow: "congested" } }) ? "congested" : "flowing";
  };
  return {
    state,
    send: (event) => {
      system.send("connection", id, event);
    },
  };
}
