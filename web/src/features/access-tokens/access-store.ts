import { signal } from "@preact/signals";
import { messageOf } from "../../../../src/base/errors.ts";
import type { AccessToken } from "../../../../src/features/access-tokens/wire.ts";
import { client } from "../../state/store.ts";

/** The access tokens; null: not known yet. */
export const tokens = signal<readonly AccessToken[] | null>(null);
/** Why they are not known; null: they are, or were not requested yet. */
export const problem = signal<string | null>(null);

/** Requests the tokens; no event announces their changes. */
export async function refresh(): Promise<void> {
  try {
    ({ tokens: tokens.value } = await client.request({ type: "request_access_tokens" }));
    problem.value = null;
  } catch (error) {
    tokens.value = null;
    problem.value = messageOf(error);
  }
}
