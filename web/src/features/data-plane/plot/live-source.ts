import { client } from "../../../state/store.ts";
import { readPast } from "../history.ts";
import { readFields } from "../topic-subscriptions.ts";
import { TraceSamples } from "./trace-samples.ts";
import type { Trace } from "./traces.ts";
import type { TraceSource } from "./use-plot.ts";

/** Frames per second; each has all samples since the previous one. */
const RATE = 20;
/** Limits for the samples of a topic: half a minute at 1 kHz in full, the rest of five minutes in steps of 10 ms. */
const KEPT = { most: 30_000, step: 0.01, seconds: 300 };

/** A source of live samples, preceded by those that loggers and recordings hold. Its window ends at the newest sample. */
export function liveSource(seconds: number): TraceSource {
  return {
    key: "live",
    read: readTraces,
    span: (samples) => {
      const until = Math.max(...[...samples.values()].map((one) => one.newest ?? Number.NEGATIVE_INFINITY));
      return Number.isFinite(until) ? { from: until - seconds, until } : null;
    },
  };
}

function readTraces(traces: readonly Trace[]) {
  const samples = new Map<string, TraceSamples>();
  const abort = new AbortController();
  const ends = [() => abort.abort()];
  for (const { topic } of traces) {
    if (samples.has(topic)) continue;
    const fields = traces.filter((one) => one.topic === topic).map(({ field }) => field);
    samples.set(topic, new TraceSamples(fields, KEPT));
    ends.push(readFields(topic, { rate: RATE, fields }, (times, values) => samples.get(topic)?.add(times, values)));
  }
  const found = (topic: string, older: TraceSamples) => {
    const own = samples.get(topic);
    if (own !== undefined) samples.set(topic, own.withOlder(older));
  };
  // A page that starts with the plot is not connected yet.
  client
    .opened()
    .then(() => readPast(traces, { seconds: KEPT.seconds, signal: abort.signal, found }))
    .catch((error: unknown) => {
      // The plot begins with the samples that are published from now on.
      if (!abort.signal.aborted) console.info("the plot has no earlier samples:", error);
    });
  return {
    samples,
    end: () => {
      for (const end of ends) end();
    },
  };
}
