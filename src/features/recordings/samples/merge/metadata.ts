import { cappedSum } from "../../capped-sum.ts";
import { LOSSES, lossesOf, lossesText, RECORDING } from "../mcap/losses.ts";
import type { MergedRecording } from "./part.ts";
import type { PreparedPart } from "./reading.ts";

/** Name of the records that say, for each host, how its times were put right; the name of the host follows. */
const MERGED_HOST = "mgr.recording.host/";

interface HostTimes {
  readonly offsets: bigint[];
  uncertainty: bigint;
  readonly uncorrected: string[];
}

/** Metadata of the merged file of a recording: what the metadata of its parts says, and how their times were put right. */
export function recordingMetadata({ name, files }: MergedRecording, parts: readonly PreparedPart[], damaged: readonly number[]) {
  const hosts = hostTimes(parts, files);
  const topics = new Set(parts.flatMap(({ metadata }) => metadata.get(RECORDING)?.get("topics")?.split("\n") ?? []));
  const about = {
    recording: name,
    hosts: [...hosts.keys()].join("\n"),
    topics: [...topics].join("\n"),
    damaged_files: damaged.map((part) => files[part] ?? "").join("\n"),
  };
  return [
    { name: RECORDING, values: about },
    { name: LOSSES, values: lossesText(losses(parts)) },
    ...[...hosts].map(([host, times]) => ({ name: `${MERGED_HOST}${host}`, values: timesValues(times) })),
  ];
}

function hostTimes(parts: readonly PreparedPart[], files: readonly string[]): Map<string, HostTimes> {
  const hosts = new Map<string, HostTimes>();
  for (const { part, clocks, metadata } of parts) {
    const host = metadata.get(RECORDING)?.get("host") ?? "";
    const times = hosts.get(host) ?? { offsets: [], uncertainty: 0n, uncorrected: [] };
    hosts.set(host, times);
    for (const { clock, start, end } of clocks) {
      if (clock === null) continue;
      times.offsets.push(clock.range.least, clock.range.greatest);
      const uncertainty = clock.uncertaintyIn(start, end);
      if (uncertainty > times.uncertainty) times.uncertainty = uncertainty;
    }
    if (clocks.some(({ clock }) => clock === null)) times.uncorrected.push(files[part] ?? "");
  }
  return hosts;
}

/** Nanoseconds; empty: unknown. `uncorrected_files`: those with messages whose times are as their host had them. */
function timesValues({ offsets, uncertainty, uncorrected }: HostTimes): Record<string, string> {
  const isKnown = offsets.length > 0;
  return {
    least_offset_ns: isKnown ? String(offsets.reduce((a, b) => (b < a ? b : a))) : "",
    greatest_offset_ns: isKnown ? String(offsets.reduce((a, b) => (b > a ? b : a))) : "",
    uncertainty_ns: isKnown ? String(uncertainty) : "",
    uncorrected_files: uncorrected.join("\n"),
  };
}

function losses(parts: readonly PreparedPart[]): Map<string, { missed: number; dropped: number }> {
  const sums = new Map<string, { missed: number; dropped: number }>();
  for (const { metadata } of parts)
    for (const topic of metadata.get(LOSSES)?.keys() ?? []) {
      const { missed, dropped } = lossesOf(metadata.get(LOSSES), topic);
      const sum = sums.get(topic) ?? { missed: 0, dropped: 0 };
      sums.set(topic, { missed: cappedSum(sum.missed, missed), dropped: cappedSum(sum.dropped, dropped) });
    }
  return sums;
}
