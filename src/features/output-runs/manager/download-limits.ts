import { MgrError } from "../../../base/errors.ts";

/** Downloads at the same time of one user. */
const MAX_OF_USER = 3;
/** Downloads at the same time in all: each holds a part of an output, and a zip also compresses. */
const MAX_IN_ALL = 8;

/** Counts the downloads under way. */
export class DownloadLimits {
  readonly #ofUser: number;
  readonly #inAll: number;
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor({ ofUser = MAX_OF_USER, inAll = MAX_IN_ALL }: { ofUser?: number; inAll?: number } = {}) {
    this.#ofUser = ofUser;
    this.#inAll = inAll;
  }

  /** Begins a download. Returns the function that ends it, which may be called again. Throws `busy`. */
  begin(user: string): () => void {
    const own = this.#open.get(user) ?? 0;
    if (own >= this.#ofUser)
      throw new MgrError("busy", `${own} downloads of output by this user are under way: wait for one, or cancel it`);
    if (this.#all >= this.#inAll) throw new MgrError("busy", `${this.#all} downloads of output are under way: try again in a while`);
    this.#open.set(user, own + 1);
    this.#all++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#all--;
      const left = (this.#open.get(user) ?? 1) - 1;
      if (left > 0) this.#open.set(user, left);
      else this.#open.delete(user);
    };
  }
}
