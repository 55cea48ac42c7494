import schemas from "@foxglove/schemas/jsonschema.js";
import { MgrError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/text/suggest.ts";

const BY_NAME: ReadonlyMap<string, object> = new Map(Object.values(schemas).map((schema) => [schema.title, schema]));

/** The JSON Schema of a message of Foxglove, by its name such as `foxglove.PoseInFrame`. Throws `bad_field` for an unknown name. */
export function wellKnownSchema(name: string): object {
  const schema = BY_NAME.get(name);
  if (schema !== undefined) return schema;
  const problem = `there is no message '${name}' among those of Foxglove${didYouMean(name, BY_NAME.keys())}`;
  throw new MgrError("bad_field", `${problem.replace(/\?$/, "")}: correct the name, or give the JSON Schema itself`);
}
