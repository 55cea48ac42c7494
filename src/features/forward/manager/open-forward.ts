import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Principal } from "../../../base/access/principal.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { joinStreams } from "../../../bus/streams/join-streams.ts";
import { ByteChannel } from "../byte-channel.ts";
import { CLOSED_ON_PURPOSE, MAX_FORWARD_CONNECTIONS } from "../forward-socket.ts";

interface OpenForwardOptions {
  readonly id: string;
  readonly owner: Principal;
  /** Canonical name of the host. */
  readonly host: string;
  readonly port: number;
  /** Opens a connection to the port. */
  readonly connect: () => Promise<Duplex>;
  /** Unix milliseconds. */
  readonly openedAt: number;
  readonly onClose: OnForwardClose;
}

/** Called once, with the reason for which the forward is closed, and the close code for its client. */
export type OnForwardClose = (reason: string, code: number) => void;

export interface ForwardCounts {
  readonly connections: number;
  readonly total_connections: number;
  readonly received: number;
  readonly sent: number;
}

/** The user of a connection to the port: bytes from it have gone to the program, and bytes to it have come from the program. */
export interface ForwardUser {
  readonly counts: { readonly received: number; readonly sent: number };
  destroy(error: Error): unknown;
}

/** A forward with its connections. */
export class OpenForward {
  readonly options: OpenForwardOptions;
  /** Connections to the port that are open; null: its client's end is being opened. */
  readonly #streams = new Map<Duplex, ForwardUser | null>();
  #opening = 0;
  #total = 0;
  /** Bytes of closed connections. */
  readonly #past = { received: 0, sent: 0 };
  #problem: string | null = null;
  #isClosed = false;

  constructor(options: OpenForwardOptions) {
    this.options = options;
  }

  get counts(): ForwardCounts {
    const sum = { ...this.#past };
    for (const channel of this.#streams.values()) {
      sum.received += channel?.counts.sent ?? 0;
      sum.sent += channel?.counts.received ?? 0;
    }
    return { connections: this.#streams.size, total_connections: this.#total, ...sum };
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.#streams.size + this.#opening;
  }

  /** Why the last connection could not be made, or was cut; null: it was made. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Opens a connection to the port. Rejects with the reason of the host, with `busy`, and with `conflict` if the forward is closed meanwhile. */
  async connect(): Promise<Duplex> {
    if (this.size >= MAX_FORWARD_CONNECTIONS)
      throw new MgrError("busy", `the forward has ${MAX_FORWARD_CONNECTIONS} open connections; close some of them`);
    this.#opening++;
    try {
      const stream = await this.options.connect();
      if (this.#isClosed) {
        stream.destroy();
        throw new MgrError("conflict", "the forward was closed");
      }
      this.#total++;
      this.#problem = null;
      this.#streams.set(stream, null);
      stream.on("error", (error) => this.#cut(stream, error));
      stream.once("close", () => this.#forget(stream));
      return stream;
    } catch (error) {
      this.#problem = messageOf(error);
      throw error;
    } finally {
      this.#opening--;
    }
  }

  /** Carries a connection of `connect` over an open WebSocket. */
  carry(stream: Duplex, ws: WebSocket): void {
    const channel = new ByteChannel(ws);
    this.use(stream, channel);
    joinStreams(channel, stream);
  }

  /** Counts the bytes of the user of a connection of `connect`, and informs it why the connection is cut. */
  use(stream: Duplex, user: ForwardUser): void {
    if (this.#streams.has(stream)) this.#streams.set(stream, user);
  }

  /** Closes the forward with its connections. */
  close(reason: string, code = CLOSED_ON_PURPOSE): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of this.#streams.keys()) stream.destroy(new MgrError("conflict", reason));
    this.options.onClose(reason, code);
  }

  /** Informs the client why its connection ends. */
  #cut(stream: Duplex, error: Error): void {
    this.#problem = messageOf(error);
    this.#streams.get(stream)?.destroy(error);
  }

  #forget(stream: Duplex): void {
    const { sent = 0, received = 0 } = this.#streams.get(stream)?.counts ?? {};
    this.#past.received += sent;
    this.#past.sent += received;
    this.#streams.delete(stream);
  }
}
