import { didYouMean } from "../../../base/text/suggest.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import type { CliFeature } from "../../../cli/command/feature.ts";
import { TAG_PREFIX, tagOfWord } from "../tag-word.ts";
import type { ProcessTags } from "../wire.ts";

export const tagsCli: CliFeature = {
  selector: {
    prefix: TAG_PREFIX,
    select: ({ tags }, word) => tagged(tags, word),
    selectConfigured: ({ processes }, word) => tagged([...processes.values()], word),
  },
};

function tagged(all: readonly Readonly<Pick<ProcessTags, "name"> & { tags: readonly string[] }>[], word: string): string[] {
  const tag = tagOfWord(word) ?? "";
  const found = all.flatMap(({ name, tags }) => (tags.includes(tag) ? name : []));
  if (found.length > 0) return found;
  const known = [...new Set(all.flatMap(({ tags }) => tags))].sort();
  const hint = didYouMean(tag, known) || (known.length === 0 ? "; no process has tags" : `; there are ${known.join(", ")}`);
  throw new CommandFailure(EXIT.notFound, `no process has the tag '${tag}'${hint}`);
}
