export interface Size {
  rows: number;
  cols: number;
}
/** The size of a terminal, as the manager reports it. */
export interface ReportedSize extends Size {
  holder: "this" | "other" | "none";
}

interface Options {
  name: string;
  /** The size that fills this terminal's box; null if the box is not visible. */
  room: () => Size | null;
  /** Draws in a size: this terminal's own, or (`isForeign`) one that need not fit its box. */
  show: (size: Size, isForeign: boolean) => void;
  send: (size: Size) => void;
  /** Whether the page is visible. */
  isVisible: () => boolean;
}

/** Time that a viewer that never held the size waits for those that did, ms. */
const GRACE_MS = 700;

/** For each process, the terminal of this page that has claimed its size; several terminals may show the process. */
const claimers = new Map<string, TerminalSize>();

/**
 * Determines the size of a terminal that several viewers show: that of the viewer that typed last. When that viewer closes the terminal, the one
 * that held the size before takes it over again. Viewing alone claims nothing: other viewers draw in the size that the terminal has.
 */
export class TerminalSize {
  readonly #options: Options;
  #reported: ReportedSize | null = null;
  /** Whether this terminal held the size until another viewer took it over. */
  #wasHolder = false;
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether this terminal draws in its own size. */
  get isOwn(): boolean {
    return this.#reported?.holder === "this" && claimers.get(this.#options.name) === this;
  }

  /** Handles the size when the terminal is opened. Returns whether this terminal has claimed the size: the program should then redraw. */
  opened(told: ReportedSize): boolean {
    this.#reported = told;
    if (told.holder !== "other" && this.claim()) return true;
    this.#options.show(told, true);
    return false;
  }

  /** Handles a change that the manager reports. */
  changed(told: ReportedSize): void {
    if (this.#reported === null) return;
    if (this.isOwn && told.holder === "other") this.#wasHolder = true;
    this.#reported = told;
    clearTimeout(this.#grace);
    if (told.holder === "none") this.#reclaim();
    else if (!this.isOwn) this.#options.show(told, true);
  }

  /** Called when the user types into this terminal, or requests its size. */
  typed(): void {
    if (!this.isOwn) this.claim();
  }

  /** Called when the box or the font has a new size. */
  boxChanged(): void {
    if (this.#reported === null) return;
    const isFree = this.#reported.holder !== "other" && !claimers.has(this.#options.name);
    if (!(this.isOwn || isFree) || !this.claim()) this.#options.show(this.#reported, !this.isOwn);
  }

  /** Makes this terminal's size the process's. Returns false if its box is not visible. */
  claim(): boolean {
    const { name, room, show, send } = this.#options;
    const size = room();
    if (size === null) return false;
    const isKnown = this.isOwn && this.#reported?.rows === size.rows && this.#reported.cols === size.cols;
    claimers.set(name, this);
    this.#reported = { ...size, holder: "this" };
    this.#wasHolder = false;
    show(size, false);
    if (!isKnown) send(size);
    return true;
  }

  /** Called when the page becomes visible again: claims a size that no viewer holds. */
  visible(): void {
    if (this.#reported?.holder === "none") this.claim();
  }

  close(): void {
    clearTimeout(this.#grace);
    if (claimers.get(this.#options.name) === this) claimers.delete(this.#options.name);
  }

  #reclaim(): void {
    if (!this.#options.isVisible()) return;
    if (this.#wasHolder) this.claim();
    else this.#grace = setTimeout(() => this.claim(), GRACE_MS);
  }
}
