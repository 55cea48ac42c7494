import type { DomainEvents } from "../../actors/domain-events.ts";
import type { Clock } from "../../base/clock.ts";
import { MgrError } from "../../base/errors.ts";
import type { RecordingReport } from "../../contract/recording.ts";
import type { HostTable } from "../hosts/host-table.ts";
import { HostRecordings } from "./host-recordings.ts";

interface RecordingHostsOptions {
  readonly hosts: HostTable;
  readonly events: DomainEvents;
  readonly clock: Clock;
  /** `isWhole`: the host has reported all its recordings. */
  readonly reported: (host: string, names: ReadonlySet<string>, isWhole: boolean) => void;
  /** The host was removed, and with it its reports of these recordings. */
  readonly removed: (names: readonly string[]) => void;
}

/** The recordings of all hosts, as the hosts report them. The reports of a host that is lost are kept. */
export class RecordingHosts {
  /** Hosts that answer. */
  readonly ready = new Set<string>();
  readonly #options: RecordingHostsOptions;
  readonly #hosts = new Map<string, HostRecordings>();
  readonly #leave: () => void;

  constructor(options: RecordingHostsOptions) {
    this.#options = options;
    this.#leave = options.events.subscribe((event) => {
      if (event.type === "host_upsert") this.#hostChanged(event.host.name, event.host.state);
      else if (event.type === "host_remove") this.#hostRemoved(event.name);
    });
  }

  get(host: string): HostRecordings | undefined {
    return this.#hosts.get(host);
  }

  require(host: string): HostRecordings {
    const known = this.#hosts.get(host);
    if (known === undefined) throw new MgrError("not_found", `there is no host '${host}' with recordings`);
    return known;
  }

  /** Names of all recordings that a host has. */
  names(): Set<string> {
    return new Set([...this.#hosts.values()].flatMap(({ reports }) => [...reports.keys()]));
  }

  /** Of one recording, by host. */
  reports(name: string): ReadonlyMap<string, RecordingReport> {
    return new Map(
      [...this.#hosts].flatMap(([host, { reports }]) => {
        const report = reports.get(name);
        return report === undefined ? [] : [[host, report] as const];
      }),
    );
  }

  close(): void {
    this.#leave();
    for (const host of this.#hosts.values()) host.close();
  }

  #hostChanged(host: string, state: string): void {
    if (state !== "ready") {
      this.ready.delete(host);
      return;
    }
    if (this.ready.has(host)) return;
    const session = this.#options.hosts.session(host);
    if (session === null) return;
    this.ready.add(host);
    let recordings = this.#hosts.get(host);
    if (recordings?.session !== session) {
      recordings?.close();
      const { clock, reported } = this.#options;
      recordings = new HostRecordings({ session, clock, changed: (names, isWhole) => reported(host, names, isWhole) });
      this.#hosts.set(host, recordings);
    }
    recordings.begin();
  }

  #hostRemoved(host: string): void {
    const known = this.#hosts.get(host);
    known?.close();
    this.#hosts.delete(host);
    this.ready.delete(host);
    this.#options.removed([...(known?.reports.keys() ?? [])]);
  }
}
