import { isDeepStrictEqual } from "node:util";
import type { TopicLimit } from "../../wire/topic.ts";

const NO_LIMITS: TopicLimit[] = [];

/** Limits that topics should keep, as processes of the configuration name them. */
export class TopicLimits {
  /** Limits by the process that names them, then by subject. */
  readonly #named = new Map<string, ReadonlyMap<string, TopicLimit>>();
  /** Limits by subject. */
  readonly #lists = new Map<string, TopicLimit[]>();

  /** The same list until a limit changes. */
  of(subject: string): TopicLimit[] {
    return this.#lists.get(subject) ?? NO_LIMITS;
  }

  /** Replaces the limits that a process names, by subject. Returns the subjects whose limits have changed. */
  replace(process: string, limits: ReadonlyMap<string, TopicLimit>): string[] {
    const before = this.#named.get(process);
    if (limits.size === 0) this.#named.delete(process);
    else this.#named.set(process, limits);
    const subjects = new Set([...(before?.keys() ?? []), ...limits.keys()]);
    const changed = [...subjects].filter((subject) => !isDeepStrictEqual(before?.get(subject), limits.get(subject)));
    for (const subject of changed) {
      const list = [...this.#named.values()].flatMap((each) => each.get(subject) ?? []);
      if (list.length === 0) this.#lists.delete(subject);
      else this.#lists.set(subject, list);
    }
    return changed;
  }
}
