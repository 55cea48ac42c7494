import { type Span, spanUnderFingers } from "./finger-span.ts";

/** Minimum movement, as a fraction of the width: a tap must not stop a live plot. */
const MIN_STEP = 1e-3;

/** Movement of a pressed mouse, px, from which it selects a span: what is drawn anew below a click must not make that a selection. */
export const MIN_DRAG = 4;

interface Shown {
  /** The visible span, and the largest possible one. */
  readonly span: () => Span;
  readonly whole: () => Span;
  readonly show: (span: Span) => void;
}

/** Two fingers zoom, one moves the zoomed plot. The browser scrolls up and down. */
export function listenToFingers(over: HTMLElement, { span, whole, show }: Shown, signal: AbortSignal): void {
  const fingers = new Map<number, number>();
  let begin: { span: Span; places: number[] } | null = null;
  let frame = 0;
  over.style.touchAction = "pan-y";
  const place = ({ clientX }: PointerEvent) => {
    const { left, width } = over.getBoundingClientRect();
    return width === 0 ? 0 : (clientX - left) / width;
  };
  const anchor = () => {
    cancelAnimationFrame(frame);
    begin = fingers.size === 0 ? null : { span: span(), places: [...fingers.values()] };
  };
  const draw = () => {
    if (begin === null) return;
    const to = spanUnderFingers(begin.span, begin.places, [...fingers.values()], whole());
    const { from, until } = span();
    const step = MIN_STEP * (until - from);
    if (Math.abs(to.from - from) > step || Math.abs(to.until - until) > step) show(to);
  };
  const on = (type: "pointerdown" | "pointermove" | "pointerup" | "pointercancel", then: (event: PointerEvent) => void) =>
    over.addEventListener(type, (event) => event.pointerType === "touch" && then(event), { signal });
  const release = ({ pointerId }: PointerEvent) => {
    draw();
    fingers.delete(pointerId);
    anchor();
  };
  on("pointerdown", (event) => {
    fingers.set(event.pointerId, place(event));
    anchor();
  });
  on("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, place(event));
    // Draws at most once a frame, however many moves there are.
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
  });
  on("pointerup", release);
  on("pointercancel", release);
}
