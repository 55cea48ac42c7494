import { type Span, spanAtWheel } from "../../../ui/plot/finger-span.ts";

interface Shown {
  /** The visible range, and the largest possible one. */
  readonly span: () => Span;
  readonly whole: () => Span;
  readonly show: (span: Span) => void;
  /** Position of the pointer, as a fraction of the width. */
  readonly placeOf: (event: MouseEvent) => number;
}

/** The wheel zooms at the pointer; sideways, or with Shift, it moves the zoomed plot. */
export function listenToWheel(box: HTMLElement, { span, whole, show, placeOf }: Shown, signal: AbortSignal): void {
  box.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      // Some browsers report lines, not pixels.
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 20;
      const isMove = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const by = unit * (isMove && event.deltaX !== 0 ? event.deltaX : event.deltaY);
      show(spanAtWheel(span(), { by, isMove, place: placeOf(event) }, whole()));
    },
    { signal, passive: false },
  );
}
