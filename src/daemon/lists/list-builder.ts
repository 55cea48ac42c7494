import type { Clock } from "../../base/timing/clock.ts";
import { SerialQueue } from "../../base/timing/serial-queue.ts";
import { SlicedWork } from "../../base/timing/turns.ts";
import { ListPages } from "./list-pages.ts";

/** Maximum time that one turn of the event loop may spend, milliseconds: typed input waits behind it. */
const SLICE_MS = 5;
/** Maximum number of waiting lists: one is built at a time, in about 50 ms. */
const MAX_WAITING = 64;

/** Builds lists of this host's processes, one after the other and in slices; the manager fetches them by `list_page`. */
export class ListBuilder {
  readonly pages: ListPages;
  readonly #queue = new SerialQueue({ max: MAX_WAITING, busy: "this host is asked for too many lists of tasks at once; try again" });
  readonly #work = new SlicedWork({ ms: SLICE_MS });

  constructor(clock: Clock) {
    this.pages = new ListPages(clock);
  }

  /** Queues the building of a list. Rejects with `busy`. */
  run<T>(build: (work: SlicedWork) => Promise<T>): Promise<T> {
    return this.#queue.run(() => build(this.#work));
  }

  close(): void {
    this.pages.close();
  }
}
