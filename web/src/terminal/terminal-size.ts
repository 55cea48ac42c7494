export interface Size {
  rows: number;
  cols: number;
}
/** What the manager says of a terminal's size. */
export interface ToldSize extends Size {
  holder: "this" | "other" | "none";
}

interface Options {
  name: string;
  /** The size that fills this terminal's box; null: it is out of sight. */
  room: () => Size | null;
  /** Draws in a size: this terminal's own, or (`isForeign`) one that need not fit its box. */
  show: (size: Size, isForeign: boolean) => void;
  send: (size: Size) => void;
  /** Whether the page can be seen. */
  isVisible: () => boolean;
}

/** How long a viewer that never held the size leaves it to those that did, milliseconds. */
const GRACE_MS = 700;

/** Of several terminals of this page that show one process, the one whose size it has. */
const claimers = new Map<string, TerminalSize>();

/**
 * Which size a terminal that several viewers show has: that of the viewer that typed last. When it leaves, the one that held the size before
 * takes it back. To look takes nothing: other viewers draw in the size that the terminal has.
 */
export class TerminalSize {
  readonly #options: Options;
  #told: ToldSize | null = null;
  /** This terminal held the size until another viewer took it. */
  #wasHolder = false;
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** This terminal draws in its own size. */
  get isOwn(): boolean {
    return this.#told?.holder === "this" && claimers.get(this.#options.name) === this;
  }

  /** What the manager says as the terminal is opened. Returns whether this terminal has taken the size: then the program should redraw. */
  opened(told: ToldSize): boolean {
    this.#told = told;
    if (told.holder !== "other" && this.claim()) return true;
    this.#options.show(told, true);
    return false;
  }

  /** A change, told by the manager. */
  changed(told: ToldSize): void {
    if (this.#told === null) return;
    if (this.isOwn && told.holder === "other") this.#wasHolder = true;
    this.#told = told;
    clearTimeout(this.#grace);
    if (told.holder === "none") this.#takeBack();
    else if (!this.isOwn) this.#options.show(told, true);
  }

  /** The user types into this terminal, or wants its size. */
  typed(): void {
    if (!this.isOwn) this.claim();
  }

  /** The box or the font has another size. */
  boxChanged(): void {
    if (this.#told === null) return;
    const isFree = this.#told.holder !== "other" && !claimers.has(this.#options.name);
    if (!(this.isOwn || isFree) || !this.claim()) this.#options.show(this.#told, !this.isOwn);
  }

  /** Makes this terminal's size the process's. Returns whether it can. */
  claim(): boolean {
    const { name, room, show, send } = this.#options;
    const size = room();
    if (size === null) return false;
    const isKnown = this.isOwn && this.#told?.rows === size.rows && this.#told.cols === size.cols;
    claimers.set(name, this);
    this.#told = { ...size, holder: "this" };
    this.#wasHolder = false;
    show(size, false);
    if (!isKnown) send(size);
    return true;
  }

  /** The page can be seen again: a size that no viewer holds is taken now. */
  visible(): void {
    if (this.#told?.holder === "none") this.claim();
  }

  close(): void {
    clearTimeout(this.#grace);
    if (claimers.get(this.#options.name) === this) claimers.delete(this.#options.name);
  }

  #takeBack(): void {
    if (!this.#options.isVisible()) return;
    if (this.#wasHolder) this.claim();
    else this.#grace = setTimeout(() => this.claim(), GRACE_MS);
  }
}
