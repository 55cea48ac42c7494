import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { MgrError } from "../base/errors.ts";
import { StreamEnd } from "../bus/stream-end.ts";
import type { HostLink } from "../contract/host-link.ts";
import type { StreamFrame } from "../contract/streams.ts";

const GONE = Buffer.from("it is not open (any more)");

/** The manager's ends of TCP connections that one host has made for it. */
export class Forwards {
  readonly #link: HostLink;
  readonly #ends = new Map<string, StreamEnd>();

  constructor(link: HostLink) {
    this.#link = link;
  }

  /**
   * A TCP connection from the host to `target`, as a stream: half close and flow control as of a socket. Rejects as the
   * host does (`conflict`, `not_found`, `timeout`, `busy`); later its `error` is `host_unavailable` when host or link are lost.
   */
  async open(session: string, target: { host: string; port: number }): Promise<Duplex> {
    const stream = randomUUID();
    const end = new StreamEnd({ id: stream, send: (frame) => this.#link.stream?.(frame) });
    // Until somebody has it, nobody listens for its errors.
    end.on("error", () => {});
    this.#ends.set(stream, end);
    end.once("close", () => this.#ends.delete(stream));
    try {
      await this.#link.request("connect", { session, stream, ...target });
    } catch (error) {
      // If it was made all the same, the host hears that nobody wants it.
      end.destroy();
      throw error;
    }
    if (end.destroyed) throw new MgrError("host_unavailable", "the host was lost while the connection was made");
    return end;
  }

  receive(frame: StreamFrame): void {
    const end = this.#ends.get(frame.stream);
    if (end) end.receive(frame);
    // It is closed here: whoever still speaks to it is to know.
    else if (frame.kind !== "reset") this.#link.stream?.({ stream: frame.stream, kind: "reset", offset: 0, data: GONE });
  }

  closeAll(): void {
    for (const end of this.#ends.values()) end.destroy(new MgrError("host_unavailable", `host '${this.#link.host}' is lost`));
  }
}
