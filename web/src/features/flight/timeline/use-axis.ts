import { useMemo, useState } from "preact/hooks";
import type { Span } from "../../../ui/plot/finger-span.ts";
import { inside, timeAfterKey, withTime, zoomed } from "./axis.ts";

const ZOOM = 2;

/** The time axis of an incident, which its timelines and plots share. Times are seconds since 1970. */
export interface TimeAxis {
  /** The whole time, and the part that is shown. */
  readonly whole: Span;
  readonly shown: Span;
  /** The time of the cursor. */
  readonly time: number;
  /** Moves the cursor; what is shown follows it. */
  readonly move: (to: number) => void;
  readonly show: (span: Span) => void;
  /** Zooms around the cursor. */
  readonly zoom: (direction: "in" | "out") => void;
  readonly press: (event: KeyboardEvent) => void;
}

/** `first`: what is shown at first. `cause`: the time that Enter moves to. */
export function useAxis(whole: Span, first: { readonly time: number; readonly shown: Span }, cause: number): TimeAxis {
  const [time, setTime] = useState(first.time);
  const [shown, show] = useState(first.shown);
  return useMemo(() => {
    const move = (to: number) => {
      const at = inside(to, whole);
      show(withTime(shown, at));
      setTime(at);
    };
    const zoom = (direction: "in" | "out") => show(zoomed(shown, { factor: direction === "in" ? ZOOM : 1 / ZOOM, around: time }, whole));
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const to = timeAfterKey(event, { time, shown, whole, cause });
      if (to !== null) move(to);
      else if (event.key === "+" || event.key === "=") zoom("in");
      else if (event.key === "-") zoom("out");
      else if (event.key === "0") show(whole);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    return { whole, shown, time, move, show, zoom, press };
  }, [whole, shown, time, cause]);
}
