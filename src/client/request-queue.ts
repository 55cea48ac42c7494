import type { ClientFrame } from "../protocol/frames/frames.ts";

/** An item that waits to be sent. */
interface Queued {
  readonly frame: ClientFrame;
}

type Lines<T> = Map<string, Set<T>>;

/**
 * Frames that wait to be sent. Each waits for those of its own type, and for those that may be about the same object: nothing overtakes a
 * frame that it depends on.
 */
export class RequestQueue<T extends Queued> {
  /** Items in the order of arrival; the first one of a line is next. */
  readonly #byType: Lines<T> = new Map();
  readonly #byObject: Lines<T> = new Map();

  /** Whether a frame has to wait for one of these. */
  mustWait(frame: ClientFrame): boolean {
    return this.#byType.has(frame.type) || this.#byObject.has(objectOf(frame));
  }

  add(item: T): void {
    append(this.#byType, item.frame.type, item);
    append(this.#byObject, objectOf(item.frame), item);
  }

  delete(item: T): void {
    remove(this.#byType, item.frame.type, item);
    remove(this.#byObject, objectOf(item.frame), item);
  }

  /** Items that wait for no other one: at most one of each type. */
  *next(): Generator<T> {
    for (const line of [...this.#byType.values()]) {
      const item = first(line);
      if (item !== undefined && first(this.#byObject.get(objectOf(item.frame))) === item) yield item;
    }
  }
}

/** The object of a frame; for a process or group its first segment, because a group stands for all that is below it. */
function objectOf(frame: ClientFrame): string {
  if ("name" in frame && typeof frame.name === "string") return `name ${frame.name.split("/", 1)[0]}`;
  if ("provider_id" in frame) return `provider ${frame.provider_id}`;
  return "host" in frame && typeof frame.host === "string" ? `host ${frame.host}` : `type ${frame.type}`;
}

function append<T>(lines: Lines<T>, key: string, item: T): void {
  lines.set(key, (lines.get(key) ?? new Set()).add(item));
}

function remove<T>(lines: Lines<T>, key: string, item: T): void {
  const line = lines.get(key);
  line?.delete(item);
  if (line?.size === 0) lines.delete(key);
}

function first<T>(line: Set<T> | undefined): T | undefined {
  return line?.values().next().value;
}
