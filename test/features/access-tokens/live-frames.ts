import type { Live } from "../../e2e/support/live-frames.ts";

/** A token from its creation to its end. */
export async function accessTokensLive({ ask }: Live): Promise<void> {
  await ask({ type: "create_access_token", name: "wall", role: "viewer", on: ["sim/*"], lifetime: 3_600 });
  await ask({ type: "request_access_tokens" });
  await ask({ type: "revoke_access_token", name: "wall" });
}
