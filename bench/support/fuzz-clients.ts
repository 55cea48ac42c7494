// Clients of a bus that do random things: `fuzz-clients.ts COUNT SEED`.
import { connect, type Socket } from "node:net";
import { randomOperation } from "./fuzz-operations.ts";
import { seededBelow } from "./random.ts";

/** Longest pauses: between two operations of a client, and of one that does not read, milliseconds. */
const [MAX_PAUSE_MS, MAX_STALL_MS] = [40, 6_000];
/** Unread bytes of a client above which it writes nothing more to the server. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Names of programs, which are also their tokens. Clients with the same one share limits. */
const PROGRAMS = 20;

export interface FuzzQuestion {
  /** The port to attack; null: all clients are closed. */
  readonly port: number | null;
}

const [, , count = "50", seed = "1"] = process.argv;
const below = seededBelow(Number(seed));
let [operations, connections] = [0, 0];
let port: number | null = null;

class FuzzClient {
  #socket: Socket | null = null;

  step(): void {
    if (port === null) {
      this.#socket?.destroy();
      this.#socket = null;
    } else if (this.#socket === null || this.#socket.destroyed) this.#socket = this.#connect(port);
    else this.#act(this.#socket);
    setTimeout(() => this.step(), below(MAX_PAUSE_MS));
  }

  #connect(to: number): Socket {
    connections++;
    const socket = connect({ port: to, host: "127.0.0.1", noDelay: true });
    socket.on("error", () => {}).resume();
    // Some present nothing, and are refused in time.
    if (below(10) > 0)
      socket.write(
        `CONNECT {"verbose":${below(5) === 0},"pedantic":false,"headers":${below(5) > 0},"auth_token":"fuzz-${below(PROGRAMS)}"}\r\n`,
      );
    return socket;
  }

  #act(socket: Socket): void {
    operations++;
    const what = below(200);
    if (what === 0) socket.destroy();
    else if (what === 1) socket.end();
    else if (what < 6) {
      socket.pause();
      setTimeout(() => socket.resume(), below(MAX_STALL_MS));
    } else if (socket.writableLength < MAX_WAITING_BYTES) {
      const bytes = Buffer.from(randomOperation(below), "latin1");
      const cut = below(4) === 0 ? below(bytes.length + 1) : bytes.length;
      socket.write(bytes.subarray(0, cut));
      if (cut < bytes.length) setImmediate(() => socket.write(bytes.subarray(cut)));
    }
  }
}

process.on("message", (question: FuzzQuestion) => {
  port = question.port;
  process.send?.({ operations, connections });
});
process.on("disconnect", () => process.exit());
for (let n = 0; n < Number(count); n++) new FuzzClient().step();
process.send?.({});
