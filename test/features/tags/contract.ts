import { arrayOf, table } from "../../contract/field-types.ts";
import { event, type FeatureContract } from "../../contract/rows.ts";

const name = "string";

export const tagsContract: FeatureContract = {
  clientFrames: {},
  managerFrames: { tags_upsert: event({ tags: table("tags of a process") }), tags_remove: event({ name }) },
  resources: { "tags of a process": { name, tags: arrayOf("string") } },
  snapshot: { tags: arrayOf(table("tags of a process")) },
};
