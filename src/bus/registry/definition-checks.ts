import { SerialQueue } from "../../base/serial-queue.ts";
import type { RegisteredTopic } from "../../contract/registry.ts";

/** Maximum length of a checked definition, characters: parsing takes 1.3 ms a KiB, and no check may block the broker for more than 20 ms. */
const MAX_CHECKED_CHARS = 16 * 1024;
/** Maximum number of results that are kept: a client registers again after each reconnect. */
const MAX_KNOWN = 256;

type Definition = Pick<RegisteredTopic, "encoding" | "definition">;
/** Returns the reason why messages cannot be decoded by a definition, or null. */
export type DefinitionProblem = (topic: Definition) => string | null;

/** Checks definitions of topics, each in a turn of its own. The parser is loaded with the first one. */
export class DefinitionChecks {
  readonly #load: () => Promise<DefinitionProblem>;
  readonly #known = new Map<string, string | null>();
  readonly #queue = new SerialQueue();

  constructor(load: () => Promise<DefinitionProblem>) {
    this.#load = load;
  }

  static isNeeded({ encoding, definition }: Definition): boolean {
    return encoding !== "raw" && definition !== "" && definition.length <= MAX_CHECKED_CHARS;
  }

  problemOf(topic: Definition): Promise<string | null> {
    const { encoding, definition } = topic;
    return this.#queue.run(async () => {
      const key = `${encoding} ${definition}`;
      const known = this.#known.get(key);
      if (known !== undefined) return known;
      const check = await this.#load();
      await new Promise((resolve) => setImmediate(resolve));
      const problem = check({ encoding, definition });
      this.#known.set(key, problem);
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= MAX_KNOWN) break;
        this.#known.delete(oldest);
      }
      return problem;
    });
  }
}
