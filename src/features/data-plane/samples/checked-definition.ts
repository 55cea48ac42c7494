import { messageOf } from "../../../base/errors.ts";
import type { CheckedDefinition } from "../../../bus/registry/definition-checks.ts";
import { definitionProblem, type NamedDefinition } from "./definition-problem.ts";
import { isWellKnownName, loadWellKnownSchema } from "./well-known-name.ts";

/** Checks a definition that a client registers, and adds the JSON Schema of a topic that only names its message. */
export async function checkedDefinition(topic: NamedDefinition): Promise<CheckedDefinition> {
  const { encoding, definition, definitionName } = topic;
  if (encoding !== "json" || definition !== "" || !isWellKnownName(definitionName))
    return { definition, problem: definitionProblem(topic) };
  try {
    return { definition: JSON.stringify(await loadWellKnownSchema(definitionName)), problem: null };
  } catch (error) {
    return { definition, problem: messageOf(error) };
  }
}
