import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { MgrError } from "../../base/errors.ts";
import { StreamEnds } from "../../bus/streams/stream-ends.ts";
import { TargetCounts, targetText } from "../../bus/streams/target-counts.ts";
import type { HostLink } from "../../contract/host-link.ts";
import type { StreamFrame } from "../../contract/streams.ts";

/** A stream to a host, and the answer of the host. */
export interface Carried<Answer> {
  readonly end: Duplex;
  readonly answer: Answer;
}

/** The manager's ends of streams that a host opened for it. */
export class Forwards {
  readonly #link: HostLink;
  readonly #ends: StreamEnds;
  /** Bytes that the streams carried, by target. */
  readonly counts = new TargetCounts();

  constructor(link: HostLink) {
    this.#link = link;
    this.#ends = new StreamEnds((frame) => link.stream?.(frame));
  }

  /**
   * Opens a TCP connection from the host to `target` as a stream, with half close and flow control as of a socket. Rejects as the host does
   * (`conflict`, `not_found`, `timeout`, `busy`); later the stream's `error` is `host_unavailable` when host or link are lost.
   */
  async open(session: string, target: { host: string; port: number }): Promise<Duplex> {
    const ask = (stream: string) => this.#link.request("connect", { session, stream, ...target });
    return (await this.carry(targetText(target.host, target.port), ask)).end;
  }

  /** Opens a stream that `ask` requests from the host; `target` names it in statistics. */
  async carry<Answer>(target: string, ask: (stream: string) => Promise<Answer>): Promise<Carried<Answer>> {
    const stream = randomUUID();
    const end = this.#ends.open(stream);
    this.counts.follow(target, end);
    // Until a caller has the stream, no other listener handles its errors.
    end.on("error", () => {});
    let answer: Answer;
    try {
      answer = await ask(stream);
    } catch (error) {
      // If the connection was made after all, the host closes it.
      end.destroy();
      throw error;
    }
    if (end.destroyed) throw new MgrError("host_unavailable", "the host was lost while the connection was made");
    return { end, answer };
  }

  receive(frame: StreamFrame): void {
    this.#ends.receive(frame);
  }

  closeAll(): void {
    this.#ends.closeAll(`host '${this.#link.host}' is lost`);
  }
}
