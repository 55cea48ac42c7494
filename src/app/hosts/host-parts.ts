import type { DomainEvents } from "../../actors/domain-events.ts";
import type { HostSession } from "./host-session.ts";
import type { HostTable } from "./host-table.ts";

interface HostPart {
  readonly session: HostSession;
  close(): void;
}

interface HostPartsOptions<Part> {
  readonly hosts: Pick<HostTable, "session">;
  readonly events: DomainEvents;
  /** Creates the part of a host that has none yet, or has a new session. */
  readonly make: (host: string, session: HostSession) => Part;
  /** Called when the host answers, for the first time or again. */
  readonly begin: (host: string, part: Part) => void;
  /** Called when a host no longer answers; its part is kept. */
  readonly lost?: () => void;
  /** Called when the part was closed. */
  readonly removed: (part: Part | undefined) => void;
}

/** One part for each host, for as long as the host is in the configuration. */
export class HostParts<Part extends HostPart> {
  readonly #options: HostPartsOptions<Part>;
  readonly #parts = new Map<string, Part>();
  readonly #ready = new Set<string>();
  readonly #unsubscribe: () => void;

  constructor(options: HostPartsOptions<Part>) {
    this.#options = options;
    this.#unsubscribe = options.events.subscribe((event) => {
      if (event.type === "host_upsert") this.#changed(event.host.name, event.host.state);
      else if (event.type === "host_remove") this.#remove(event.name);
    });
  }

  /** Hosts that answer. */
  get ready(): ReadonlySet<string> {
    return this.#ready;
  }

  /** All parts by host, including those of lost hosts. */
  get all(): ReadonlyMap<string, Part> {
    return this.#parts;
  }

  get(host: string): Part | undefined {
    return this.#parts.get(host);
  }

  close(): void {
    this.#unsubscribe();
    for (const part of this.#parts.values()) part.close();
  }

  #changed(host: string, state: string): void {
    const { hosts, make, begin, lost } = this.#options;
    if (state !== "ready") {
      if (this.#ready.delete(host)) lost?.();
      return;
    }
    if (this.#ready.has(host)) return;
    const session = hosts.session(host);
    if (session === null) return;
    this.#ready.add(host);
    let part = this.#parts.get(host);
    if (part?.session !== session) {
      part?.close();
      part = make(host, session);
      this.#parts.set(host, part);
    }
    begin(host, part);
  }

  #remove(host: string): void {
    const part = this.#parts.get(host);
    part?.close();
    this.#parts.delete(host);
    this.#ready.delete(host);
    this.#options.removed(part);
  }
}
