/**
 * The statechart of one WebSocket connection.
 *
 *   open, two regions   flow:  flowing ⇄ congested (30 s without progress → closing 1008)
 *                       pulse: alive → (20 s) ping, awaiting_pong → pong → alive; 60 s without → terminated
 *   open                close, refuse             → closing
 *   closing             socket closed             → closed; 5 s → terminated
 */
import type { ActorRefFrom } from "xstate";
import { setup } from "xstate";

const PING_MS = 20_000;
/** The connection is dead after this time without a pong. */
const DEAD_MS = 60_000;
/** Maximum time in which a client reads nothing although frames wait for it. */
const STALL_MS = 30_000;
/** Maximum duration of a closing handshake. */
export const CLOSE_MS = 5_000;

export type ConnectionEvent =
  | { type: "pong" }
  /** The outbox passed its soft limit; `drained` when it is below again, `progress` when the socket accepted bytes. */
  | { type: "congested" }
  | { type: "progress" }
  | { type: "drained" }
  | { type: "close"; code: number; reason: string }
  /** The connection is refused (close code 1008) with this reason. */
  | { type: "refuse"; reason: string }
  | { type: "socket.closed" };

export interface SocketEffects {
  ping(): void;
  close(code: number, reason: string): void;
  /** Ends the connection at once, without a closing handshake. */
  terminate(): void;
}

export interface ConnectionInput extends SocketEffects {
  /** Time-out used instead of STALL_MS, milliseconds. */
  readonly stallMs?: number | undefined;
}

/** Cuts the reason of a close frame to its maximum of 123 bytes. */
function shortReason(reason: string): string {
  let short = reason;
  while (Buffer.byteLength(short) > 123) short = short.slice(0, -1);
  return short;
}

export const connectionMachine = setup({
  types: { context: {} as ConnectionInput, events: {} as ConnectionEvent, input: {} as ConnectionInput },
  actions: {
    ping: ({ context }) => context.ping(),
    closeSocket: ({ context }, { code, reason }: { code: number; reason: string }) => context.close(code, shortReason(reason)),
    terminateSocket: ({ context }) => context.terminate(),
  },
  delays: { ping: PING_MS, dead: DEAD_MS - PING_MS, stall: ({ context }) => context.stallMs ?? STALL_MS, closing: CLOSE_MS },
}).createMachine({
  id: "connection",
  context: ({ input }) => input,
  initial: "open",
  on: { "socket.closed": { target: ".closed" } },
  states: {
    open: {
      type: "parallel",
      on: {
        close: { target: "closing", actions: { type: "closeSocket", params: ({ event }) => ({ code: event.code, reason: event.reason }) } },
        refuse: { target: "closing", actions: { type: "closeSocket", params: ({ event }) => ({ code: 1008, reason: event.reason }) } },
      },
      states: {
        flow: {
          initial: "flowing",
          states: {
            flowing: { on: { congested: "congested" } },
            congested: {
              on: { drained: "flowing", progress: { target: "congested", reenter: true } },
              after: {
                stall: { target: "#connection.closing", actions: { type: "closeSocket", params: { code: 1008, reason: "too slow" } } },
              },
            },
          },
        },
        pulse: {
          initial: "alive",
          states: {
            alive: { on: { pong: { target: "alive", reenter: true } }, after: { ping: "awaiting_pong" } },
            awaiting_pong: {
              initial: "pinged",
              on: { pong: "alive" },
              after: { dead: { target: "#connection.closed", actions: "terminateSocket" } },
              states: { pinged: { entry: "ping", after: { ping: { target: "pinged", reenter: true } } } },
            },
          },
        },
      },
    },
    closing: { after: { closing: { target: "closed", actions: "terminateSocket" } } },
    closed: { type: "final" },
  },
});

export type ConnectionRef = ActorRefFrom<typeof connectionMachine>;
