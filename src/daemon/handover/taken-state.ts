import { closeSync } from "node:fs";
import { z } from "zod";
import type { HandedOver } from "./handed-over.ts";

/**
 * The state that a part of the program before this one has handed over. Null: there is none, or it is of a version with another shape; then it is
 * logged, its descriptors are closed, and the part begins anew.
 */
export function takenState<T>(taken: HandedOver | undefined, schema: z.ZodType<T>, log: (level: "warning", msg: string) => void): T | null {
  if (taken === undefined) return null;
  const parsed = schema.safeParse(taken.state);
  if (parsed.success) return parsed.data;
  log("warning", `the program before this one has left something that cannot be continued: ${z.prettifyError(parsed.error)}`);
  for (const descriptor of Object.values(taken.descriptors)) closeSync(descriptor);
  return null;
}
