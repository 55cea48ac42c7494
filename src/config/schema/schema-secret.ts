import { orNull, section } from "./schema-kinds.ts";
import { path, text } from "./schema-values.ts";

/** The place of a secret that the configuration itself does not hold. */
export const secretPlace = section(
  {
    file: orNull(
      "File that holds it, relative to the folder of this file. Other users must not be able to read it.",
      path("the path of a file"),
    ),
    env: orNull("Variable of the manager's environment that holds it.", text("the name of a variable")),
  },
  {
    allowed: "a mapping with one of the keys file, env",
    json: { oneOf: [{ required: ["file"] }, { required: ["env"] }] },
    check: (values, report) => {
      if (values.has("file") === values.has("env")) report({ path: [], message: "must have one of the keys file, env", at: "key" });
    },
  },
);
