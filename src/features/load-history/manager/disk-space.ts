import type { Conditions } from "../../../app/conditions.ts";
import { type Clock, everyBeat } from "../../../base/timing/clock.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { LoadHistory } from "./load-history.ts";

/** Interval between two looks at the disks of all hosts, milliseconds. */
const LOOK_MS = 60_000;
/** Age of the figures that count, milliseconds: several slots of the history. */
const RECENT_MS = 60_000;
/** A disk counts as free again when it has this much more than the limit, so that one at the limit is reported once. */
const FREE_AGAIN = 1.1;
const KIND = "disk_nearly_full";

interface DiskSpaceOptions {
  readonly clock: Clock;
  readonly conditions: Pick<Conditions, "raise" | "clear">;
  readonly hosts: { keys(): Iterable<string> };
  readonly loads: Pick<LoadHistory, "hostHistory">;
  /** Free space below which a disk is nearly full, bytes; 0: none is. */
  readonly limit: () => number;
}

/** Raises a condition for each host whose disk is nearly full, by the newest figures of its load history. Returns the function that stops it. */
export function watchDiskSpace(options: DiskSpaceOptions): () => void {
  const { clock, hosts } = options;
  const known = new Set<string>();
  let isOver = false;
  const look = async (host: string) => {
    const free = await freeSpace(options, host);
    if (isOver || free === null) return;
    known.add(host);
    judge(options, host, free);
  };
  const all = () => {
    const present = new Set(hosts.keys());
    for (const host of known) {
      if (present.has(host)) continue;
      known.delete(host);
      options.conditions.clear({ kind: KIND, process: null, host }, "ended");
    }
    for (const host of present) void look(host);
  };
  const stop = everyBeat(LOOK_MS, all, clock);
  all();
  return () => {
    isOver = true;
    stop();
  };
}

function judge({ conditions, limit }: DiskSpaceOptions, host: string, free: number): void {
  const which = { kind: KIND, process: null, host };
  // The text has no figure that changes with each look: it would be another text each time.
  if (free < limit()) conditions.raise({ ...which, text: `the disk of host ${host} has less than ${sizeText(limit())} free` });
  else if (free >= limit() * FREE_AGAIN) conditions.clear(which, "recovered");
}

/** Null: the host does not answer, or does not know. */
async function freeSpace({ clock, loads }: DiskSpaceOptions, host: string): Promise<number | null> {
  try {
    const { series } = await loads.hostHistory({ host, from: formatTime(clock.now() - RECENT_MS), points: 1 });
    return series.disk_free?.mean.at(-1) ?? null;
  } catch {
    return null; // A host that is lost is a condition of its own.
  }
}

function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(bytes) / 10)));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}
