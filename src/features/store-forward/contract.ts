import { z } from "zod";
import { session } from "../../contract/fields.ts";

/** What a host keeps while its link to the hub is cut. */
export const storeForwardSpec = z.object({
  /** Topics by fnmatch pattern; none: nothing is kept. */
  topics: z.array(z.string().min(1).max(1_024)).max(1_000),
  max_bytes: z.int().min(65_536),
  max_age_ms: z.int().min(1),
  /** Part of the link that kept samples may use, from 0 to 1. */
  share: z.number().positive().max(1),
  /** Bytes per second of the link; null: as measured. */
  bandwidth: z.number().positive().nullable(),
});
export type StoreForwardSpec = z.infer<typeof storeForwardSpec>;

export const STORE_FORWARD_REQUESTS = {
  /** What the host keeps, in place of what was said before; it saves it for its next start. Null: nothing. */
  store_forward_configure: { request: z.object({ session, spec: storeForwardSpec.nullable() }), response: z.object({}) },
} as const;
