import { client } from "../../../state/store.ts";
import { readPast } from "../history.ts";
import { TraceSamples } from "../plot/trace-samples.ts";
import type { Trace } from "../plot/traces.ts";
import type { Samples, TraceSource } from "../plot/use-plot.ts";
import { readFields } from "../topics/topic-subscriptions.ts";
import { Derivation } from "./derivation.ts";
import { type Derived, traceOfDerived } from "./derived.ts";
import type { Sweep } from "./sweep.ts";

/** Frames per second; each has all samples since the previous one. */
const RATE = 20;
/** Limits for the samples of a topic: half a minute at 1 kHz in full, the rest of five minutes in steps of 10 ms. */
const KEPT = { most: 30_000, step: 0.01, seconds: 300 };

interface Live {
  readonly traces: readonly Trace[];
  readonly derived: readonly Derived[];
  /** Length of the window. */
  readonly seconds: number;
  /** Places the window; null: it ends at the newest sample. */
  readonly sweep: Sweep | null;
}

/** A source of live samples, preceded by those that loggers and recordings hold, and of the series that are derived from them. */
export function liveSource({ traces, derived, seconds, sweep }: Live): TraceSource {
  return {
    key: "live",
    read: () => readTraces(distinct([...traces, ...derived.flatMap(({ inputs }) => inputs)]), derived),
    span: (samples) => {
      const triggering = sweep && samples.get(sweep.topic);
      if (triggering) return sweep.next(triggering);
      const until = Math.max(...[...samples.values()].map((one) => one.newest ?? Number.NEGATIVE_INFINITY));
      return Number.isFinite(until) ? { from: until - seconds, until } : null;
    },
  };
}

const distinct = (traces: readonly Trace[]) => [...new Map(traces.map((trace) => [JSON.stringify(trace), trace])).values()];

/** The series that are derived from the samples of some topics. */
class Derivations {
  readonly #samples: Map<string, TraceSamples>;
  readonly #derived: readonly Derived[];
  readonly #running = new Map<Derived, Derivation>();

  constructor(samples: Map<string, TraceSamples>, derived: readonly Derived[]) {
    this.#samples = samples;
    this.#derived = derived;
    for (const one of derived) this.#begin(one);
  }

  /** Computes the values for new samples of a topic. `isOlder`: there are earlier samples than before, so it begins anew. */
  update(topic: string, { isOlder = false } = {}): void {
    for (const one of this.#derived) {
      if (!one.inputs.some((input) => input.topic === topic)) continue;
      if (isOlder) this.#begin(one);
      this.#running.get(one)?.update();
    }
  }

  #begin(derived: Derived): void {
    const derivation = new Derivation(derived, (topic) => this.#samples.get(topic), KEPT);
    this.#running.set(derived, derivation);
    this.#samples.set(traceOfDerived(derived).topic, derivation.samples);
  }
}

function readTraces(traces: readonly Trace[], derived: readonly Derived[]): { samples: Samples; end: () => void } {
  const samples = new Map<string, TraceSamples>();
  const derivations = new Derivations(samples, derived);
  const abort = new AbortController();
  const ends = [() => abort.abort()];
  for (const topic of new Set(traces.map((trace) => trace.topic))) {
    const fields = traces.filter((one) => one.topic === topic).map(({ field }) => field);
    samples.set(topic, new TraceSamples(fields, KEPT));
    const receive: Parameters<typeof readFields>[2] = (times, values) => {
      samples.get(topic)?.add(times, values);
      derivations.update(topic);
    };
    ends.push(readFields(topic, { rate: RATE, fields }, receive));
  }
  const found = (topic: string, older: TraceSamples) => {
    const own = samples.get(topic);
    if (own === undefined) return;
    samples.set(topic, own.withOlder(older));
    derivations.update(topic, { isOlder: true });
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
