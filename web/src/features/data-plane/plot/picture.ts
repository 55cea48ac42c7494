/** A line of the legend. */
export interface LegendLine {
  readonly title: string;
  readonly color: string;
}
interface Picture {
  /** The drawn panels, from top to bottom. */
  readonly canvases: readonly HTMLCanvasElement[];
  readonly legend: readonly LegendLine[];
  /** The line above the legend. */
  readonly heading: string;
  /** An element with the colours of the page. */
  readonly styled: HTMLElement;
}

/** Sizes, CSS px. */
const LINE_HEIGHT = 20;
const MARGIN = 12;
const FONT_SIZE = 13;
const SWATCH = { width: 14, height: 3 };

/** Draws a plot with its legend as a PNG image in the size and the colours in which the page shows it. */
export function pictureOf({ canvases, legend, heading, styled }: Picture): Promise<Blob> {
  const scale = devicePixelRatio;
  const style = getComputedStyle(styled);
  const above = 2 * MARGIN + (legend.length + 1) * LINE_HEIGHT;
  const picture = document.createElement("canvas");
  picture.width = Math.max(1, ...canvases.map(({ width }) => width));
  picture.height = above * scale + canvases.reduce((sum, { height }) => sum + height, 0);
  const context = picture.getContext("2d");
  if (context === null) throw new Error("The browser cannot draw the picture: it has no more canvases.");
  context.fillStyle = style.getPropertyValue("--page");
  context.fillRect(0, 0, picture.width, picture.height);
  context.save();
  context.scale(scale, scale);
  context.font = `${FONT_SIZE}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  const write = (text: string, line: number, left: number) => {
    context.fillStyle = style.getPropertyValue("--text");
    context.fillText(text, left, MARGIN + (line + 0.5) * LINE_HEIGHT);
  };
  write(heading, 0, MARGIN);
  for (const [index, { title, color }] of legend.entries()) {
    context.fillStyle = color;
    context.fillRect(MARGIN, MARGIN + (index + 1.5) * LINE_HEIGHT - SWATCH.height / 2, SWATCH.width, SWATCH.height);
    write(title, index + 1, MARGIN + SWATCH.width + MARGIN / 2);
  }
  context.restore();
  let top = above * scale;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob === null ? reject(new Error("The picture is too large for the browser.")) : resolve(blob)), "image/png");
  });
}
