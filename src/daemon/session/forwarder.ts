import { connect, type Socket } from "node:net";
import { MgrError } from "../../base/errors.ts";
import { descriptorBudget } from "../../bus/carriers/descriptor-budget.ts";
import type { StreamEnd } from "../../bus/streams/stream-end.ts";
import { StreamEnds } from "../../bus/streams/stream-ends.ts";
import { TargetCounts, targetText } from "../../bus/streams/target-counts.ts";
import { MAX_STREAMS, type StreamFrame } from "../../contract/streams.ts";

/** Time limit for a target to accept a connection, milliseconds. */
const CONNECT_TIMEOUT_MS = 8_000;

/** Carries connections of this host over the bus as streams: TCP connections that it opens for the manager, and those of features. */
export class Forwarder {
  readonly #ends: StreamEnds;
  /** Traffic of the connections, by target. */
  readonly counts = new TargetCounts();
  /** Connections in progress, by stream. */
  readonly #opening = new Map<string, Socket>();
  /** Established connections; one may outlive its stream while its program reads the last data. */
  readonly #sockets = new Set<Socket>();

  constructor(send: (frame: StreamFrame) => void) {
    this.#ends = new StreamEnds(send);
  }

  /** Resolves once the target has accepted. Rejects with `busy`, `conflict` (refused), `not_found` or `timeout`. */
  async open({ stream, host, port }: { stream: string; host: string; port: number }): Promise<void> {
    this.#checkRoom(stream);
    this.#join(stream, targetText(host, port), await this.#connect(stream, { host, port }));
  }

  /** Carries a connection that `open` makes; `target` is its name in `counts`. Rejects with `busy` or `conflict`, too. */
  async carry<C extends { socket: Socket; target: string }>(stream: string, open: () => Promise<C>): Promise<C> {
    this.#checkRoom(stream);
    const connection = await open();
    try {
      this.#checkRoom(stream);
    } catch (error) {
      connection.socket.destroy();
      throw error;
    }
    this.#join(stream, connection.target, connection.socket);
    return connection;
  }

  receive(frame: StreamFrame): void {
    const opening = this.#opening.get(frame.stream);
    if (opening === undefined) this.#ends.receive(frame);
    // A reset: the requester no longer waits. Other frames have no meaning before the connection is open.
    else if (frame.kind === "reset") opening.destroy(new MgrError("conflict", "the connection was cancelled before it was open"));
  }

  /** Closes all connections: the manager is gone. */
  closeAll(reason: string): void {
    for (const socket of this.#opening.values()) socket.destroy(new Error(reason));
    this.#ends.closeAll(reason);
    for (const socket of this.#sockets) socket.destroy();
  }

  #checkRoom(stream: string): void {
    if (this.#opening.has(stream) || this.#ends.has(stream)) throw new MgrError("conflict", "a stream of that name is open already");
    if (this.#sockets.size + this.#opening.size >= MAX_STREAMS)
      throw new MgrError("busy", `this host has ${MAX_STREAMS} connections open for the manager already; close one first`);
  }

  #join(stream: string, target: string, socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const end = this.#ends.open(stream);
    this.counts.follow(target, end);
    join(socket, end);
  }

  #connect(stream: string, { host, port }: { host: string; port: number }): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
      if (!descriptorBudget.acquire(socket, "client")) {
        socket.destroy();
        return reject(
          new MgrError("busy", "this host has as many open files as its limit allows; raise it (ulimit -n) or close connections"),
        );
      }
      this.#opening.set(stream, socket);
      const settle = (act: () => void) => {
        clearTimeout(timer);
        this.#opening.delete(stream);
        act();
      };
      const timer = setTimeout(
        () => socket.destroy(new MgrError("timeout", `${host}:${port} did not answer within ${CONNECT_TIMEOUT_MS / 1_000} s`)),
        CONNECT_TIMEOUT_MS,
      );
      const fail = (cause: NodeJS.ErrnoException) => settle(() => reject(refusal(cause, `${host}:${port}`)));
      socket.once("error", fail);
      socket.once("connect", () => {
        socket.off("error", fail);
        settle(() => resolve(socket));
      });
    });
  }
}

/** The two directions end separately; an error at one end closes both. */
function join(socket: Socket, end: StreamEnd): void {
  socket.on("error", (error) => end.destroy(error));
  end.on("error", () => socket.destroy());
  // The stream is not destroyed after both directions have ended: data in flight may still have to be sent again.
  socket.once("close", () => {
    if (!socket.readableEnded || !end.readableEnded) end.destroy();
  });
  // After a proper close, data that the remote program has not read yet is still in flight to it.
  end.once("close", () => (end.lastWord === null ? socket.destroy() : socket.destroySoon()));
  socket.pipe(end);
  end.pipe(socket);
}

function refusal(cause: NodeJS.ErrnoException, place: string): MgrError {
  if (cause instanceof MgrError) return cause;
  const { code } = cause;
  if (code === "ECONNREFUSED") return new MgrError("conflict", `no program listens at ${place}`, { cause });
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new MgrError("not_found", `${place} is unknown there: ${cause.message}`, { cause });
  return new MgrError(code === "ETIMEDOUT" ? "timeout" : "conflict", `${place} cannot be reached: ${cause.message}`, { cause });
}
