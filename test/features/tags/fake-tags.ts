import { type Tags, tagsExtension } from "../../../src/features/tags/manager/index.ts";
import type { ProcessTags } from "../../../src/features/tags/wire.ts";

/** No process has tags. */
export class FakeTags implements Tags {
  readonly extension = tagsExtension(this);

  list(): ProcessTags[] {
    return [];
  }
}
