import { didYouMean } from "../../../base/suggest.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import type { CliFeature } from "../../../cli/command/feature.ts";

/** Beginning of a word that selects the processes with a tag. */
const PREFIX = "tag:";

export const tagsCli: CliFeature = {
  selector: {
    prefix: PREFIX,
    select: ({ tags }, word) => {
      const tag = word.slice(PREFIX.length);
      const found = tags.flatMap(({ name, tags }) => (tags.includes(tag) ? name : []));
      if (found.length > 0) return found;
      const known = [...new Set(tags.flatMap(({ tags }) => tags))].sort();
      const hint = didYouMean(tag, known) || (known.length === 0 ? "; no process has tags" : `; there are ${known.join(", ")}`);
      throw new CommandFailure(EXIT.notFound, `no process has the tag '${tag}'${hint}`);
    },
  },
};
