import type { Browser, CDPSession } from "playwright-core";

/** An event of the browser's own trace; times in microseconds of CLOCK_MONOTONIC, which is `process.hrtime` here. */
export interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly id2?: { local?: string; global?: string };
  readonly args: Record<string, unknown>;
}

const CATEGORIES = [
  "benchmark",
  "blink.user_timing",
  "cc",
  "devtools.timeline",
  "disabled-by-default-devtools.timeline",
  "disabled-by-default-devtools.timeline.frame",
  "devtools.timeline.frame",
  "__metadata",
];
/** Blink's limit of a long task, milliseconds. */
export const LONG_TASK_MS = 50;

/** A recording of what the browser does; `stop` gives its events. */
export async function startTrace(browser: Browser): Promise<{ stop: () => Promise<Trace> }> {
  const session: CDPSession = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { recordMode: "recordAsMuchAsPossible", includedCategories: CATEGORIES },
  });
  return {
    async stop() {
      const complete = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
      await session.send("Tracing.end");
      await complete;
      await session.detach();
      return new Trace(events);
    },
  };
}

/** What a user saw between the marks `bench-begin` and `bench-end`. `gap`: the longest time between two frames, `task`: the longest task; milliseconds. */
export interface Shown {
  readonly fps: number;
  readonly gap: number;
  readonly task: number;
}

export function shownIn(trace: Trace): Shown {
  const [begin = 0] = trace.marks("bench-begin");
  const [end = 0] = trace.marks("bench-end");
  const { presented } = trace.frames(begin, end);
  const gaps = presented.slice(1).map((at, index) => (at - (presented[index] ?? at)) / 1_000);
  const seconds = ((presented.at(-1) ?? 0) - (presented[0] ?? 0)) / 1e6;
  return { fps: (presented.length - 1) / seconds, gap: Math.max(...gaps), task: trace.tasks(begin, end)[0]?.ms ?? 0 };
}

/** Questions to a recording about one page: the one that has set user timing marks `bench-…`. */
export class Trace {
  readonly events: TraceEvent[];
  readonly #pid: number;
  readonly #mainThread: number;

  constructor(events: TraceEvent[]) {
    this.events = events.toSorted((a, b) => a.ts - b.ts);
    const mark = this.events.find(({ cat, name }) => cat.includes("blink.user_timing") && name.startsWith("bench-"));
    this.#pid = mark?.pid ?? 0;
    const name = this.events.find(
      (event) => event.ph === "M" && event.name === "thread_name" && event.pid === this.#pid && event.args.name === "CrRendererMain",
    );
    this.#mainThread = name?.tid ?? 0;
    if (this.#mainThread === 0) throw new Error("the trace has no main thread of a page with marks");
  }

  /** When the navigation to an address began, microseconds. */
  navigationTo(url: string): number {
    const found = this.events.find(({ name, args }) => {
      const { documentLoaderURL } = (args.data ?? {}) as { documentLoaderURL?: string };
      return name === "navigationStart" && documentLoaderURL?.startsWith(url);
    });
    if (!found) throw new Error(`the trace has no navigation to ${url}`);
    return found.ts;
  }

  /** Times of a user timing mark, microseconds. */
  marks(name: string): number[] {
    return this.events
      .filter((event) => event.pid === this.#pid && event.cat.includes("blink.user_timing") && event.name === name)
      .map(({ ts }) => ts);
  }

  /** Durations of the main thread's tasks, milliseconds, longest first. */
  tasks(from = 0, to = Number.POSITIVE_INFINITY): { at: number; ms: number; cpuMs: number }[] {
    return this.events
      .filter(
        ({ name, ph, pid, tid, ts, dur = 0 }) =>
          name === "RunTask" && ph === "X" && pid === this.#pid && tid === this.#mainThread && ts + dur >= from && ts <= to,
      )
      .map(({ ts, dur = 0, tdur = 0 }) => ({ at: ts, ms: dur / 1_000, cpuMs: tdur / 1_000 }))
      .toSorted((a, b) => b.ms - a.ms);
  }

  /** When frames were presented, and how many were dropped, by the compositor's own report. */
  frames(from = 0, to = Number.POSITIVE_INFINITY): { presented: number[]; dropped: number } {
    const begins = new Map<string, TraceEvent>();
    const presented: number[] = [];
    let dropped = 0;
    for (const event of this.events) {
      if (event.name !== "PipelineReporter" || event.pid !== this.#pid) continue;
      const id = event.id2?.local ?? "";
      if (event.ph === "b") begins.set(id, event);
      const begin = begins.get(id);
      if (event.ph !== "e" || !begin) continue;
      begins.delete(id);
      if (event.ts < from || event.ts > to) continue;
      const reporter = (begin.args.frame_reporter ?? {}) as { state?: string };
      if (reporter.state?.startsWith("STATE_PRESENTED")) presented.push(event.ts);
      else if (reporter.state === "STATE_DROPPED") dropped++;
    }
    return { presented: [...new Set(presented)].toSorted((a, b) => a - b), dropped };
  }
}
