import { AccessRules } from "../../src/config/access-rules.ts";
import { type ConfigInput, configObjectSchema } from "../../src/config/schema/schema.ts";

/** The rules of the key `access` of a configuration; without it, every user is an admin. */
export function accessOf(access: NonNullable<ConfigInput["access"]> = {}): AccessRules {
  const read = configObjectSchema.parse({ access }).access;
  return new AccessRules(() => read);
}
