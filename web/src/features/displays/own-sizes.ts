/** Maximum number of sizes that are remembered; the server answers requests for the newest few. */
const MAX_SIZES = 32;

/**
 * Determines which viewer set the size of a display. Several viewers may show it, and VNC reports only the new size: a size that this viewer has
 * not had since it took over comes from another viewer.
 */
export class OwnSizes {
  #sizes: string[] = [];
  #isOwn = false;

  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** The user works with the display here: its size follows this window from now on. */
  adopt(width: number, height: number): void {
    if (!this.#isOwn) this.#sizes = [];
    this.#isOwn = true;
    this.resized(width, height);
  }

  release(): void {
    this.#isOwn = false;
  }

  /** Adds a new size of this window. */
  resized(width: number, height: number): void {
    const size = `${Math.floor(width)}x${Math.floor(height)}`;
    this.#sizes = [...this.#sizes.filter((one) => one !== size), size].slice(-MAX_SIZES);
  }

  /** Handles a new size of the display. Returns whether another viewer has taken it over. */
  shown(width: number, height: number): boolean {
    if (!this.#isOwn || this.#sizes.includes(`${width}x${height}`)) return false;
    this.#isOwn = false;
    return true;
  }
}
