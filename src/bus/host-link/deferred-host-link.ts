import { MgrError } from "../../base/errors.ts";
import type { HostLink, HostListener } from "../../contract/host-link.ts";
import type { HostRequestName, OutputWindows, RequestOf, ResponseOf } from "../../contract/messages.ts";
import type { StreamFrame } from "../../contract/streams.ts";
import type { Bus } from "../client/bus.ts";
import { busHostLink } from "./host-link.ts";

/** The link to `host` over a bus that may not have been reached yet: until then the host is silent, and requests are refused. */
export function deferredHostLink(bus: Promise<Bus>, host: string): HostLink {
  return new DeferredHostLink(bus, host);
}

class DeferredHostLink implements HostLink {
  readonly host: string;
  /** Listeners, each with the function that removes it from the link once there is one. */
  readonly #listeners = new Map<HostListener, () => void>();
  #link: HostLink | null = null;
  #isClosed = false;

  constructor(bus: Promise<Bus>, host: string) {
    this.host = host;
    // A failure to reach the bus was already reported where it was connected.
    bus.then(
      (reached) => this.#arrive(busHostLink(reached, host)),
      () => {},
    );
  }

  async request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    if (this.#link) return this.#link.request(name, request);
    throw new MgrError("host_unavailable", `host '${this.host}' cannot be reached: the bus server is not there yet`);
  }

  window(windows: OutputWindows): void {
    this.#link?.window(windows);
  }

  stream(frame: StreamFrame): void {
    this.#link?.stream?.(frame);
  }

  heartbeat(session: string): void {
    this.#link?.heartbeat(session);
  }

  listen(listener: HostListener): () => void {
    this.#listeners.set(listener, this.#link?.listen(listener) ?? (() => {}));
    return () => {
      this.#listeners.get(listener)?.();
      this.#listeners.delete(listener);
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    await this.#link?.close();
  }

  #arrive(link: HostLink): void {
    if (this.#isClosed) {
      void link.close();
      return;
    }
    this.#link = link;
    for (const listener of this.#listeners.keys()) this.#listeners.set(listener, link.listen(listener));
  }
}
