import type uPlot from "uplot";

/** A time that is marked in the plot by a line and a short text. */
export interface Mark {
  readonly time: number;
  readonly text: string;
}

/** Distance of the text from its line, and its size, CSS px. */
const GAP = 3;
const FONT_SIZE = 11;

/** Draws lines at times, over the traces. */
export function drawMarks({ ctx, bbox, valToPos }: uPlot, marks: readonly Mark[], color: string): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.font = `${FONT_SIZE * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  for (const { time, text } of marks) {
    const left = Math.round(valToPos(time, "x", true));
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    // At the right edge the text is before its line.
    const isAtEnd = left > bbox.left + bbox.width - ctx.measureText(text).width - 2 * GAP * devicePixelRatio;
    ctx.textAlign = isAtEnd ? "right" : "left";
    ctx.fillText(text, left + (isAtEnd ? -GAP : GAP) * devicePixelRatio, bbox.top);
  }
  ctx.restore();
}
