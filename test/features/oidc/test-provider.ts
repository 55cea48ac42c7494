import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export const CLIENT = { id: "mgr", secret: "a secret of at least thirty-two characters" };

/** A real OpenID provider on a port of this machine. It logs in `account` without asking. */
export class TestProvider implements AsyncDisposable {
  /** The user at the provider: the subject, with the claims that the scopes `profile` and `groups` give. */
  account: { readonly subject: string; readonly claims: Readonly<Record<string, unknown>> } = { subject: "1", claims: {} };
  /** Whether the user cancels the login at the provider. */
  isCancelled = false;
  /** Requests for tokens. */
  exchanges = 0;
  readonly #server: Server;
  readonly issuer: string;

  private constructor(server: Server, issuer: string, redirectUri: string, idTokenHasClaims: boolean) {
    this.#server = server;
    this.issuer = issuer;
    const provider = new Provider(issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
      claims: { openid: ["sub"], profile: ["preferred_username"], groups: ["groups"] },
      conformIdTokenClaims: !idTokenHasClaims,
      findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ ...this.account.claims, sub: id }) }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      features: { devInteractions: { enabled: false } },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      cookies: { keys: ["key of the cookies"] },
    });
    const pass = provider.callback();
    server.on("request", (request, response) => {
      if (request.url === "/token") this.exchanges++;
      if (request.url?.startsWith("/interaction/")) void this.#logIn(provider, request, response);
      else void pass(request, response);
    });
  }

  static async start(redirectUri: string, { idTokenHasClaims = false } = {}): Promise<TestProvider> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return new TestProvider(server, `http://127.0.0.1:${port}`, redirectUri, idTokenHasClaims);
  }

  async #logIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params } = await provider.interactionDetails(request, response);
    const { subject: accountId } = this.account;
    const grant = new provider.Grant({ accountId, clientId: CLIENT.id });
    grant.addOIDCScope(String(params.scope));
    const granted = { login: { accountId }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, this.isCancelled ? { error: "access_denied" } : granted);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    if (this.#server.listening) await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
