import { batch, signal } from "@preact/signals";
import { tagOfWord } from "../../../../src/features/tags/tag-word.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { frames$ } from "../../state/store.ts";

/** The tags of each process that has any. */
export const tags = signal<ReadonlyMap<string, readonly string[]>>(new Map());

frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "snapshot":
      tags.value = new Map(frame.tags.map((each) => [each.name, each.tags]));
      return;
    case "tags_upsert":
      tags.value = new Map(tags.peek()).set(frame.tags.name, frame.tags.tags);
      return;
    case "tags_remove":
      tags.value = new Map([...tags.peek()].filter(([name]) => name !== frame.name));
      return;
  }
}

export const tagsOf = (name: string): readonly string[] => tags.value.get(name) ?? [];

/** Matches `tag:si` with processes that have a tag that begins so. */
export function tagTest(word: string): ((name: string) => boolean) | null {
  const beginning = tagOfWord(word);
  return beginning === null ? null : (name) => tagsOf(name).some((tag) => tag.startsWith(beginning));
}
