/** Sizes remembered; the server answers requests for the newest few. */
const MAX_SIZES = 32;

/**
 * Whose size a display has. Several viewers may show it, and VNC says of a new size nothing but the size: one that this
 * viewer has not had itself since it took the size over is another viewer's.
 */
export class OwnSizes {
  #sizes: string[] = [];
  #isOwn = false;

  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** The user works with the display here: from now on it follows this window. */
  take(width: number, height: number): void {
    if (!this.#isOwn) this.#sizes = [];
    this.#isOwn = true;
    this.resized(width, height);
  }

  release(): void {
    this.#isOwn = false;
  }

  /** This window has another size. */
  resized(width: number, height: number): void {
    const size = `${Math.floor(width)}x${Math.floor(height)}`;
    this.#sizes = [...this.#sizes.filter((one) => one !== size), size].slice(-MAX_SIZES);
  }

  /** The display has another size. Returns whether another viewer has taken it over. */
  shown(width: number, height: number): boolean {
    if (!this.#isOwn || this.#sizes.includes(`${width}x${height}`)) return false;
    this.#isOwn = false;
    return true;
  }
}
