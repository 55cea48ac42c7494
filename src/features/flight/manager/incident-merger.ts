import { rm } from "node:fs/promises";
import { MgrError } from "../../../base/errors.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import type { mergeInWorker } from "../../recordings/manager/index.ts";
import { giveUp } from "./incident-changes.ts";
import type { HostRecord, IncidentRecord, PartRecord } from "./incident-record.ts";
import type { IncidentStore } from "./incident-store.ts";

export type Merge = typeof mergeInWorker;

interface IncidentMergerOptions {
  readonly store: IncidentStore;
  readonly merge: Merge;
}

/** Puts the parts that were collected into the file of their incident, one incident at a time. */
export class IncidentMerger {
  readonly #options: IncidentMergerOptions;
  /** Runs one merge at a time: each reads and writes as fast as the disk. */
  readonly #queue = new SerialQueue();

  constructor(options: IncidentMergerOptions) {
    this.#options = options;
  }

  /** Resolves when the file has all parts that were collected when its turn came. `missing` says what is missing in the file, in sentences. */
  merge(record: IncidentRecord, missing: (host: HostRecord) => string[], signal: AbortSignal): Promise<void> {
    return this.#queue.run(() => this.#merge(record, missing, signal));
  }

  async #merge(record: IncidentRecord, missing: (host: HostRecord) => string[], signal: AbortSignal): Promise<void> {
    const { store, merge } = this.#options;
    const parts = record.hosts.flatMap((host) => host.parts.filter(({ state }) => state === "collected").map((part) => ({ host, part })));
    if (parts.length === 0) return;
    const copies = parts.map(({ host, part }) => ({
      path: store.partPath(record, host.host, part.id),
      host: host.host,
      offset: host.clock?.offset ?? "0",
      excluded: coveredBefore(host, part),
    }));
    const present = record.file === null ? [] : [{ path: store.filePath(record.id), host: null, offset: "0", excluded: [] }];
    const metadata = [
      { name: "mgr.incident", values: aboutIncident(record) },
      ...record.hosts.map((host) => ({ name: `mgr.incident.host/${host.host}`, values: aboutHost(host, missing(host)) })),
    ];
    const { messages, size, refused, damaged } = await merge(
      { path: store.nextPath(record.id), parts: [...present, ...copies], metadata },
      signal,
    );
    // The file stays as it is, and the parts stay beside it.
    const lost = present.length === 0 ? undefined : damaged.find((each) => each.part === 0);
    if (lost !== undefined) throw new MgrError("conflict", `${store.filePath(record.id)} is damaged: ${lost.reason}`);
    for (const { part } of parts) {
      const found = damaged.find((each) => parts[each.part - present.length]?.part === part);
      if (found === undefined) part.state = "merged";
      else giveUp(part, `its part is damaged (${found.reason}); what could be read of it is in the file`);
    }
    record.file = { messages, size, refused: refused + (record.file?.refused ?? 0) };
    await store.replace(record);
    for (const { path } of copies) await rm(path, { force: true });
  }
}

/** Entries that other parts of the host bring into the file: parts that are in it, and parts that come before this one. */
function coveredBefore({ parts }: HostRecord, part: PartRecord) {
  const at = parts.indexOf(part);
  return parts.flatMap(({ state, covers }, index) =>
    covers !== null && (state === "merged" || (state === "collected" && index < at)) ? [covers] : [],
  );
}

function aboutIncident({ id, note, by, from, until, triggers }: IncidentRecord): Record<string, string> {
  return { id, note, by: by ?? "", from, until, triggers: JSON.stringify(triggers.map(({ id: _part, ...shown }) => shown)) };
}

/** Offset and uncertainty are in nanoseconds; empty: unknown. */
function aboutHost({ clock }: HostRecord, missing: readonly string[]): Record<string, string> {
  return { offset_ns: clock?.offset ?? "", uncertainty_ns: clock?.uncertainty ?? "", missing: JSON.stringify(missing) };
}
