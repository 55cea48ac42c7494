import { AccessTokens } from "../../../src/features/access-tokens/manager/access-tokens.ts";
import { accessTokensExtension } from "../../../src/features/access-tokens/manager/index.ts";

/** The real access tokens, whose clock a test may set. Without a port there are none. */
export class FakeAccessTokens {
  /** Unix milliseconds. */
  now = Date.now;
  readonly tokens = new AccessTokens(() => this.now());
  readonly extension = accessTokensExtension(this.tokens);
}
