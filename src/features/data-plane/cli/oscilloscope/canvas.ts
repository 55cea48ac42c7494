/** Bits of the dots of a braille character, by row and column. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BRAILLE = 0x2800;
const DOTS_ACROSS = 2;
const DOTS_DOWN = 4;

/** A canvas of dots in cells of a terminal, two across and four down in each; a cell has the colour that was drawn last. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #cols: number;
  readonly #cells: Uint8Array;
  readonly #colours: Uint8Array;

  constructor(cols: number, rows: number) {
    this.#cols = cols;
    this.width = cols * DOTS_ACROSS;
    this.height = rows * DOTS_DOWN;
    this.#cells = new Uint8Array(cols * rows);
    this.#colours = new Uint8Array(cols * rows);
  }

  /** Draws a dot; coordinates begin at the upper left, and dots outside are not drawn. */
  dot(x: number, y: number, colour: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const cell = Math.floor(y / DOTS_DOWN) * this.#cols + Math.floor(x / DOTS_ACROSS);
    this.#cells[cell] = (this.#cells[cell] ?? 0) | (DOTS[y % DOTS_DOWN]?.[x % DOTS_ACROSS] ?? 0);
    this.#colours[cell] = colour;
  }

  /** Draws a line without gaps: at least one dot in each column, and enough dots to be connected. */
  line(x0: number, y0: number, x1: number, y1: number, colour: number): void {
    // The number of steps is bounded, because a line far outside the canvas would take long.
    const steps = Math.min(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1), 2 * (this.width + this.height));
    for (let step = 0; step <= steps; step++)
      this.dot(Math.round(x0 + ((x1 - x0) * step) / steps), Math.round(y0 + ((y1 - y0) * step) / steps), colour);
  }

  /** The text of one row; `paint` is called for each part of one colour, `empty` stands for cells without dots. */
  row(row: number, paint: (colour: number, text: string) => string, empty = " "): string {
    let text = "";
    let part = "";
    let partColour = 0;
    for (let col = 0; col < this.#cols; col++) {
      const cell = row * this.#cols + col;
      const dots = this.#cells[cell] ?? 0;
      const colour = dots === 0 ? 0 : (this.#colours[cell] ?? 0);
      if (colour !== partColour && part !== "") {
        text += partColour === 0 ? part : paint(partColour, part);
        part = "";
      }
      partColour = colour;
      part += dots === 0 ? empty : String.fromCodePoint(BRAILLE + dots);
    }
    return text + (partColour === 0 ? part : paint(partColour, part));
  }
}
