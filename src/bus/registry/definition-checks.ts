import { SerialQueue } from "../../base/timing/serial-queue.ts";
import type { TopicEncoding } from "../../base/topics/topic-encodings.ts";
import type { RegisteredTopic } from "../../contract/registry.ts";

/** Maximum length of a checked definition, characters: parsing takes 1.3 ms a KiB, and no check may block the broker for more than 20 ms. */
const MAX_CHECKED_CHARS = 16 * 1024;
/** Maximum number of results that are kept: a client registers again after each reconnect. */
const MAX_KNOWN = 256;

type Definition = Pick<RegisteredTopic, "encoding" | "definition" | "definition_name">;

export interface CheckedDefinition {
  /** The text that was registered, or that of the message that was only named. */
  readonly definition: string;
  /** The reason why messages cannot be decoded by it; null: they can be. */
  readonly problem: string | null;
}
export type CheckDefinition = (topic: {
  readonly encoding: TopicEncoding;
  readonly definition: string;
  readonly definitionName: string;
}) => Promise<CheckedDefinition>;

/** Checks definitions of topics, each in a turn of its own. The parser is loaded with the first one. */
export class DefinitionChecks {
  readonly #load: () => Promise<CheckDefinition>;
  readonly #known = new Map<string, CheckedDefinition>();
  readonly #queue = new SerialQueue();

  constructor(load: () => Promise<CheckDefinition>) {
    this.#load = load;
  }

  static isNeeded({ encoding, definition, definition_name = "" }: Definition): boolean {
    return encoding !== "raw" && (definition !== "" || definition_name !== "") && definition.length <= MAX_CHECKED_CHARS;
  }

  check({ encoding, definition, definition_name: definitionName = "" }: Definition): Promise<CheckedDefinition> {
    return this.#queue.run(async () => {
      const key = `${encoding} ${definitionName} ${definition}`;
      const known = this.#known.get(key);
      if (known !== undefined) return known;
      const check = await this.#load();
      await new Promise((resolve) => setImmediate(resolve));
      const checked = await check({ encoding, definition, definitionName });
      this.#known.set(key, checked);
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= MAX_KNOWN) break;
        this.#known.delete(oldest);
      }
      return checked;
    });
  }
}
