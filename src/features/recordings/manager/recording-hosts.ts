import type { DomainEvents } from "../../../actors/domain-events.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { RecordingReport } from "../contract.ts";
import { HostRecordings } from "./host-recordings.ts";

interface RecordingHostsOptions {
  readonly hosts: HostTable;
  readonly events: DomainEvents;
  readonly clock: Clock;
  /** Called after a report; `isWhole`: the host has reported all its recordings. */
  readonly reported: (host: string, names: ReadonlySet<string>, isWhole: boolean) => void;
  /** Called when a host was removed, and with it its reports of these recordings. */
  readonly removed: (names: readonly string[]) => void;
}

/** The recordings of all hosts, as the hosts report them. The reports of a host that is lost are kept. */
export class RecordingHosts {
  readonly #hosts: HostParts<HostRecordings>;

  constructor({ hosts, events, clock, reported, removed }: RecordingHostsOptions) {
    this.#hosts = new HostParts({
      hosts,
      events,
      make: (host, session) => new HostRecordings({ session, clock, changed: (names, isWhole) => reported(host, names, isWhole) }),
      begin: (_host, recordings) => recordings.begin(),
      removed: (recordings) => removed([...(recordings?.reports.keys() ?? [])]),
    });
  }

  /** Hosts that are ready. */
  get ready(): ReadonlySet<string> {
    return this.#hosts.ready;
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
    const names = new Set<string>();
    for (const { reports } of this.#hosts.all.values()) for (const name of reports.keys()) names.add(name);
    return names;
  }

  /** Whether a host records anything. */
  get isRecording(): boolean {
    return [...this.#hosts.all.values()].some(({ reports }) => [...reports.values()].some(({ state }) => state === "recording"));
  }

  /** Reports of one recording, by host. */
  reports(name: string): ReadonlyMap<string, RecordingReport> {
    return new Map(
      [...this.#hosts.all].flatMap(([host, { reports }]) => {
        const report = reports.get(name);
        return report === undefined ? [] : [[host, report] as const];
      }),
    );
  }

  close(): void {
    this.#hosts.close();
  }
}
