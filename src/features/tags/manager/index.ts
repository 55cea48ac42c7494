import { isDeepStrictEqual } from "node:util";
import type { ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import type { ProcessTags } from "../wire.ts";

/** The tags of processes. */
export interface Tags {
  /** Processes in view that have tags, in the order of the configuration. */
  list(view: ViewMode): ProcessTags[];
}

/** Tells clients the tags of processes, by which they select them. */
export const tags: ManagerFeature<Tags> = {
  name: "tags",
  attach(core) {
    const service = new ManagerTags(core);
    return { service, ...tagsExtension(service), reconfigured: () => service.reconfigured() };
  },
};

export function tagsExtension(service: Tags): FeatureExtension {
  return { transport: { handlers: {}, snapshot: ({ view }) => ({ tags: service.list(view) }) } };
}

type Options = Pick<ManagerCore, "config" | "events" | "processes">;

class ManagerTags implements Tags {
  readonly #options: Options;
  #tags: ReadonlyMap<string, readonly string[]>;

  constructor(options: Options) {
    this.#options = options;
    this.#tags = this.#configured();
  }

  list(view: ViewMode): ProcessTags[] {
    return [...this.#tags].flatMap(([name, tags]) => (contains(view, name) ? { name, tags: [...tags] } : []));
  }

  reconfigured(): void {
    const before = this.#tags;
    const { events } = this.#options;
    this.#tags = this.#configured();
    for (const [name, tags] of this.#tags)
      if (!isDeepStrictEqual(before.get(name), tags)) events.publish({ type: "tags_upsert", tags: { name, tags: [...tags] } });
    for (const name of before.keys()) if (!this.#tags.has(name)) events.publish({ type: "tags_remove", name });
  }

  #configured(): ReadonlyMap<string, readonly string[]> {
    const { config, processes } = this.#options;
    // A removed process that still ends is in the configuration until then.
    const tagged = [...config().processes].filter(([name, { tags }]) => tags.length > 0 && !processes.retiring.has(name));
    return new Map(tagged.map(([name, { tags }]) => [name, tags]));
  }
}
