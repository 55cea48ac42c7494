import { MAX_WINDOW_BYTES, type OutputWindow } from "../../contract/messages.ts";

/** Moving the window when this much of it is used keeps the host sending without ever waiting for the manager. */
export const MOVE_AFTER_BYTES = MAX_WINDOW_BYTES / 8;

interface WindowNeeds {
  readonly room: number;
  readonly lossless: boolean;
  /** Whether nothing is missing before the next output. */
  readonly moved: boolean;
}

/** The window of one process that was last requested from its host. */
export class WindowState {
  #from: number | null = null;
  /** Position of the last reported hole: chunks already in flight would report it again and again. */
  #reportedHole: number | null = null;
  /** Position when the window was last repeated. */
  #repeatedAt: number | null = null;

  /** Whether the window has to be moved now that the stream is contiguous up to `position`. */
  isUsedUp(position: number | null): boolean {
    if (position === null) return false;
    // The window began at the live end, whose position the anchor has just reported.
    this.#from ??= position;
    return position - this.#from >= MOVE_AFTER_BYTES;
  }

  /** Returns true once for each position. */
  reportHole(position: number | null): boolean {
    if (this.#reportedHole === position) return false;
    this.#reportedHole = position;
    return true;
  }

  /** Whether nothing has arrived since the last call: output in flight is then considered lost. */
  isStalled(position: number | null): boolean {
    if (this.#repeatedAt === position) return true;
    this.#repeatedAt = position;
    return false;
  }

  /** `room` is the number of bytes that a subscriber can accept; no more may be in flight, because it would be skipped. */
  opened(name: string, position: number | null, { room, lossless, moved }: WindowNeeds): OutputWindow {
    this.#from = position;
    const length = Math.min(room, MAX_WINDOW_BYTES);
    return { name, from: position, length, ...(moved ? { moved } : {}), ...(lossless ? { lossless } : {}) };
  }
}

export function closedWindow(name: string, position: number | null): OutputWindow {
  return { name, from: position ?? 0, length: 0 };
}
