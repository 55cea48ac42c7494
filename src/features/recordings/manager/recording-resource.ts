import { formatTime } from "../../../protocol/time.ts";
import type { RecordingReport } from "../contract.ts";
import type { Recording } from "../wire.ts";

/** The recording as clients see it: the reports of its hosts in one. */
export function recordingResource(
  name: string,
  { state, problem }: Pick<Recording, "state" | "problem">,
  reports: ReadonlyMap<string, RecordingReport>,
): Recording {
  const all = [...reports.values()];
  const sum = (of: (report: RecordingReport) => number) => all.reduce((total, report) => total + of(report), 0);
  const started = all.flatMap(({ started_at }) => started_at ?? []);
  const files = [...reports].flatMap(([host, report]) =>
    report.files.map(({ start, end, ...file }) => ({ host, ...file, start_time: timeOf(start), end_time: timeOf(end) })),
  );
  return {
    name,
    state,
    problem,
    start_time: started.length === 0 ? null : formatTime(Math.max(...started)),
    patterns: [...new Set(all.flatMap(({ spec }) => spec.topics))],
    hosts: [...reports.keys()],
    size: files.reduce((total, { size }) => total + size, 0),
    messages: sum(({ messages }) => messages),
    missed: sum(({ missed }) => missed),
    dropped: sum(({ dropped }) => dropped),
    topics: [...reports].flatMap(([host, report]) => report.topics.map((topic) => ({ host, ...topic }))),
    files: files.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}

/** Nanoseconds as a time of the protocol. */
function timeOf(nanoseconds: string | null): string | null {
  return nanoseconds === null ? null : formatTime(Number(BigInt(nanoseconds) / 1_000_000n));
}
