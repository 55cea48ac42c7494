import { createHash } from "node:crypto";
import { MAX_SEGMENT_LENGTH } from "../../../base/text/names.ts";
import { hasLength } from "../../../base/text/text-length.ts";

/** The reserved group of private displays. */
const GROUP = "displays";
/** Number of hex digits that stand for the rest of a long name. */
const DIGEST_LENGTH = 16;

/** Web users have private displays; users of the local socket (`local:<system user>`) have none. */
export const isWebUser = (user: string): boolean => !user.includes(":");

/** Name of the process of the private display of `user`. Different users have different names. */
export function displayProcessOf(user: string): string {
  return `${GROUP}/${segmentOf(user)}`;
}

/** A percent-encoded user name. A long one is cut, and `%~`, which no encoding contains, marks the digest of the whole. */
function segmentOf(user: string): string {
  const encoded = encodeURIComponent(user).replace(/^\.+$/, (dots) => dots.replaceAll(".", "%2E"));
  if (hasLength(encoded, 1, MAX_SEGMENT_LENGTH)) return encoded;
  const digest = createHash("sha256").update(user).digest("hex").slice(0, DIGEST_LENGTH);
  return `${encoded.slice(0, MAX_SEGMENT_LENGTH - DIGEST_LENGTH - 2)}%~${digest}`;
}
