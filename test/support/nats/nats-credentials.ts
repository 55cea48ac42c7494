import { nkeys } from "@nats-io/nats-core";

const base64url = (text: string) => Buffer.from(text).toString("base64url");

function signed(by: ReturnType<typeof nkeys.createUser>, sub: string, nats: object): string {
  const claims = { jti: "test", iat: Math.floor(Date.now() / 1_000), iss: by.getPublicKey(), name: "test", sub, nats };
  const text = `${base64url('{"typ":"JWT","alg":"ed25519-nkey"}')}.${base64url(JSON.stringify(claims))}`;
  return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString("base64url")}`;
}

/** A nats-server's configuration with an operator, an account and a user of it, and the user's credentials file. */
export function makeCredentials(): { config: string; credentials: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const unlimited = { subs: -1, data: -1, payload: -1 };
  const limits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorJwt = signed(operator, operator.getPublicKey(), { type: "operator", version: 2 });
  const accountJwt = signed(operator, account.getPublicKey(), { limits, type: "account", version: 2 });
  const userJwt = signed(account, user.getPublicKey(), { pub: {}, sub: {}, ...unlimited, type: "user", version: 2 });
  const seed = Buffer.from(user.getSeed()).toString();
  return {
    config: `operator: "${operatorJwt}"\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: "${accountJwt}" }`,
    credentials: `-----BEGIN NATS USER JWT-----\n${userJwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
  };
}
