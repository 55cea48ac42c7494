import type { z } from "zod";

/** The first thing that is wrong with a value, for people: `parameters[0].type: expected string, received number`. `whole` names the value itself. */
export function firstIssue(error: z.ZodError, whole = "it"): string {
  const [issue] = error.issues;
  if (issue === undefined) return `${whole} is malformed`;
  const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return `${path.replace(/^\./, "") || whole}: ${issue.message.replace(/^Invalid input: /, "")}`;
}
