import { z } from "zod";
import { change, managerFrames } from "../../protocol/frames/frame-table.ts";

const processTags = z
  .object({
    name: z.string().describe("Name of the process."),
    tags: z.array(z.string()).describe("Its tags, in the order of the configuration."),
  })
  .meta({ id: "ProcessTags", description: "The tags of a process that has any." });
export type ProcessTags = z.infer<typeof processTags>;

export const tagFrames = managerFrames("Tags", {
  tags_upsert: change(
    { tags: processTags },
    "A process has tags, or other ones than before.",
    ({ tags: { name } }) => `tags:${name}`,
    ({ tags: { name } }) => name,
  ),
  tags_remove: change(
    { name: z.string() },
    "A process has no tags any more.",
    ({ name }) => `tags:${name}`,
    ({ name }) => name,
  ),
});

/** On a focused connection, those of the processes in view. */
export const tagSnapshot = { tags: z.array(processTags) };
