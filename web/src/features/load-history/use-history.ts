import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { isWithin } from "../../../../src/base/text/names.ts";
import { client, connection, frames$ } from "../../state/store.ts";
import type { ViewOf } from "../../state/views.ts";
import type { CurveData } from "./charts/curve-data.ts";
import { LiveSamples } from "./charts/live-data.ts";
import type { Figure } from "./figures.ts";
import { type HistoryEvents, requestCurves, requestEvents } from "./history-requests.ts";
import { isLive, type Range, type Span, spanOf } from "./range.ts";

/** Longest range, seconds, in which a measurement a second can be seen: the processes of longer ones are not watched. */
const MAX_WATCHED_RANGE = 3_600;
/** Interval between drawings of live samples, and between requests of what goes on, ms. */
const DRAW_MS = 1_000;
const AGAIN_MS = 30_000;
const MAX_AGAIN_MS = 300_000;
/** Delay of a request while the range changes, such as under fingers, ms. */
const SETTLE_MS = 150;

export interface ShownHistory {
  /** Null until the first answer. */
  readonly curves: CurveData | null;
  readonly events: HistoryEvents | null;
  /** The visible time; it moves while the range ends now. */
  readonly span: Span;
  readonly away: readonly string[];
  readonly problem: string | null;
  readonly isLoading: boolean;
  /** Number of answers so far. */
  readonly answers: number;
}

interface Options {
  readonly view: ViewOf<"history">;
  readonly range: Range;
  readonly figures: readonly Figure[];
  /** Whether it is about many processes. */
  readonly isMany: boolean;
}

/** The history of a range: requested when that changes, and followed while it ends now. */
export function useHistory({ view, range, figures, isMany }: Options): ReadonlySignal<ShownHistory> {
  const shown = useSignal<ShownHistory>({
    ...{ curves: null, events: null, away: [], problem: null, isLoading: true, answers: 0 },
    span: spanOf(range, Date.now()),
  });
  const isOpen = connection.value.kind === "open";
  const key = JSON.stringify([view, range, figures.map((figure) => figure.key), isMany]);
  useEffect(() => {
    const samples = new LiveSamples();
    let base: CurveData | null = null;
    let isOver = false;
    let isAsking = false;
    const now = () => Math.max(Date.now(), 1_000 * (samples.newest ?? 0));
    const draw = () => {
      shown.value = { ...shown.peek(), span: spanOf(range, now()), ...(base === null ? {} : { curves: samples.appendTo(base) }) };
    };
    const request = async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        const span = spanOf(range, now());
        const [{ curves, away }, events] = await Promise.all([
          requestCurves(view, span, { figures, isMany }),
          requestEvents(view, span, isMany),
        ]);
        if (isOver) return;
        base = curves;
        shown.value = { ...shown.peek(), events, away, problem: null, isLoading: false, answers: shown.peek().answers + 1 };
        draw();
      } catch (error) {
        if (!isOver) shown.value = { ...shown.peek(), problem: messageOf(error), isLoading: false };
      } finally {
        isAsking = false;
      }
    };
    shown.value = { ...shown.peek(), span: spanOf(range, now()), isLoading: true };
    if (!isOpen) return;
    const ends = [after(SETTLE_MS * (isLive(range) ? 0 : 1), () => void request())];
    if (isLive(range)) {
      ends.push(every(Math.min(MAX_AGAIN_MS, Math.max(AGAIN_MS, range.last * 10)), () => void request()));
      if (view.about !== "host" && view.name !== undefined && range.last <= MAX_WATCHED_RANGE) {
        ends.push(
          watch(view.name, samples),
          every(DRAW_MS, () => base !== null && draw()),
        );
      }
    }
    return () => {
      isOver = true;
      for (const end of ends) end();
    };
  }, [key, isOpen]);
  return shown;
}

/** Receives a sample a second of a process, or of each process of a group. */
function watch(name: string, samples: LiveSamples): () => void {
  const subscription = frames$.subscribe((frame) => {
    if (frame.type !== "load_sample" || !isWithin(frame.name, name)) return;
    samples.add({ name: frame.name, host: frame.host, time: Date.parse(`${frame.ts}Z`) / 1_000, load: frame.load });
  });
  watched.set(name, (watched.get(name) ?? 0) + 1);
  // A process that was removed has a history, but cannot be watched.
  if (watched.get(name) === 1) client.request({ type: "subscribe_load", name }).catch(() => undefined);
  return () => {
    subscription.unsubscribe();
    const count = (watched.get(name) ?? 1) - 1;
    watched.set(name, count);
    // After a reconnect there is nothing to end.
    if (count === 0) client.request({ type: "unsubscribe_load", name }).catch(() => undefined);
  };
}

/** Number of views that watch a process or group: a connection subscribes once. */
const watched = new Map<string, number>();

function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
}

function every(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(() => !document.hidden && run(), milliseconds);
  return () => clearInterval(timer);
}
