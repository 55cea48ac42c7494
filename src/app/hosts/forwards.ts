import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { MgrError } from "../../base/errors.ts";
import { StreamEnds } from "../../bus/streams/stream-ends.ts";
import { TargetCounts, targetText, x11TargetText } from "../../bus/streams/target-counts.ts";
import type { HostLink } from "../../contract/host-link.ts";
import type { StreamFrame } from "../../contract/streams.ts";
import type { X11Waiting } from "../../features/displays/contract.ts";
import type { X11Connection } from "../../features/displays/host/tunnel.ts";

/** The manager's ends of TCP connections that a host opened for it. */
export class Forwards {
  readonly #link: HostLink;
  readonly #ends: StreamEnds;
  /** What they carried. */
  readonly counts = new TargetCounts();

  constructor(link: HostLink) {
    this.#link = link;
    this.#ends = new StreamEnds((frame) => link.stream?.(frame));
  }

  /**
   * A TCP connection from the host to `target`, as a stream: half close and flow control as of a socket. Rejects as the
   * host does (`conflict`, `not_found`, `timeout`, `busy`); later its `error` is `host_unavailable` when host or link are lost.
   */
  async open(session: string, target: { host: string; port: number }): Promise<Duplex> {
    const ask = (stream: string) => this.#link.request("connect", { session, stream, ...target });
    return (await this.#open(targetText(target.host, target.port), ask)).end;
  }

  /** An X client that waits at the host; its setup packet is still to be read. */
  async acceptX11(session: string, { connection, name }: X11Waiting): Promise<Duplex> {
    const ask = (stream: string) => this.#link.request("x11_accept", { session, stream, connection });
    return (await this.#open(x11TargetText(name), ask)).end;
  }

  /** A connection to the X server of a display of the host. */
  async openX11(session: string, display: number): Promise<X11Connection> {
    const ask = (stream: string) => this.#link.request("x11_connect", { session, stream, display });
    const { end, answer } = await this.#open(x11TargetText(`:${display}`), ask);
    const { authorization } = answer;
    return { stream: end, authorization: authorization && { ...authorization, data: Buffer.from(authorization.data, "base64") } };
  }

  async #open<Answer>(target: string, ask: (stream: string) => Promise<Answer>): Promise<{ end: Duplex; answer: Answer }> {
    const stream = randomUUID();
    const end = this.#ends.open(stream);
    this.counts.follow(target, end);
    // Until a caller has it, no other listener handles its errors.
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
