import { isDeepStrictEqual } from "node:util";
import { type DomainEvent, DomainEvents } from "../../actors/domain-events.ts";
import type { HostEntry, Process } from "../../protocol/resources/resources.ts";

/** Domain events without repetitions: an upsert is published only if the resource differs from the one published last. */
export class ResourceEvents extends DomainEvents {
  readonly #processes = new Map<string, Process>();
  readonly #hosts = new Map<string, HostEntry>();

  override publish(event: DomainEvent): void {
    switch (event.type) {
      case "process_upsert":
        this.#upsert(event);
        return;
      case "process_remove":
        this.#processes.delete(event.name);
        break;
      case "host_upsert":
        if (isDeepStrictEqual(this.#hosts.get(event.host.name), event.host)) return;
        this.#hosts.set(event.host.name, event.host);
        break;
      case "host_remove":
        this.#hosts.delete(event.name);
        break;
    }
    super.publish(event);
  }

  #upsert(event: Extract<DomainEvent, { type: "process_upsert" }>): void {
    const { process } = event;
    const { name } = process;
    const published = this.#processes.get(name);
    // The projection of the same snapshot: nothing has happened since.
    if (published === process) return;
    this.#processes.set(name, process);
    // The comparison costs more than the rest; most steps change the state.
    const isSame = published?.state === process.state && isDeepStrictEqual(published, process);
    super.publish(isSame ? { type: "process_step", name } : event);
  }
}
