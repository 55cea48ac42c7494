import { z } from "zod";
import { ROLES } from "../../../base/access/access.ts";
import { SharedFile, type SharedFileOptions } from "../../../http/auth/shared-file.ts";

const STORED = z.object({
  name: z.string(),
  /** SHA-256 of the token, hex: the token has 256 random bits, so it cannot be guessed from a fast hash. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  role: z.enum(ROLES),
  on: z.array(z.string()).nullable(),
  /** Whether it is accepted in URLs, and nowhere else. */
  for_url: z.boolean().exactOptional(),
  may_download: z.boolean().exactOptional(),
  /** Unix milliseconds. */
  created: z.number(),
  expires: z.number(),
  by: z.string(),
});

export type StoredToken = z.infer<typeof STORED>;
export type TokenFile = SharedFile<StoredToken>;

/** The file of the access tokens. */
export function tokenFile(options: Pick<SharedFileOptions<StoredToken>, "path" | "lock" | "warn">): TokenFile {
  const words = { what: "access tokens", removal: "to revoke all access tokens and begin anew" };
  return new SharedFile({ ...options, ...words, list: "tokens", entry: STORED });
}
