import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandObserver } from "../../../src/base/command-observer.ts";
import { Gate } from "../../../src/http/access/gate.ts";
import { createApp } from "../../../src/http/app.ts";
import { Accounts, type LoginSource } from "../../../src/http/auth/accounts.ts";
import { AuthFile } from "../../../src/http/auth/auth-file.ts";
import { Authenticator } from "../../../src/http/auth/authenticate.ts";
import { Credentials } from "../../../src/http/auth/credentials.ts";
import { LoginSessions } from "../../../src/http/auth/login-sessions.ts";
import { LoginTokens } from "../../../src/http/auth/login-tokens.ts";
import { Throttle } from "../../../src/http/auth/throttle.ts";
import type { RequestBindings, Route } from "../../../src/http/route.ts";
import { loginTokenRoute } from "../../../src/http/routes/login-token.ts";
import { accessOf } from "../../support/access.ts";
import { FakeControl } from "../../support/fakes/fake-control.ts";
import { cookieOf, GOOD, PASSWORD, USER } from "../rig.ts";

/** Where the app is, for its pages and for those of others. */
export const HOST = "bench.lab:8130";
export const OWN = `http://${HOST}`;
/** What every browser sends over plain HTTP, where it adds no Sec-Fetch headers. */
export const BROWSER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/114.0 Safari/537.36" };
export const NAVIGATION = { ...BROWSER, "upgrade-insecure-requests": "1", accept: "text/html,application/xhtml+xml" };

const REMOTE = { ip: "10.0.0.9", port: 1, isSecure: false, localUser: null };

interface AppOptions {
  readonly routes?: readonly Route[];
  readonly authFile?: string | null;
  readonly access?: Parameters<typeof accessOf>[0];
  readonly isClosing?: boolean;
  readonly allowedOrigins?: readonly string[];
  /** Milliseconds, of login tokens. */
  readonly monotonic?: () => number;
  readonly observer?: CommandObserver | null;
  readonly sources?: readonly LoginSource[];
}

/** The app of some routes behind the real gate, without a socket. */
export function appOf({
  routes = [],
  authFile = null,
  access,
  isClosing = false,
  allowedOrigins = [],
  monotonic = () => 0,
  observer = null,
  sources = [],
}: AppOptions) {
  const logged: string[] = [];
  const log = (level: string, msg: string) => logged.push(`${level}: ${msg}`);
  const loginSessions = new LoginSessions({ path: null, lock: () => null, now: Date.now, onEnded: () => {}, log });
  const loginTokens = new LoginTokens(monotonic);
  const authenticator = new Authenticator({
    authFile: new AuthFile(authFile, log),
    accounts: new Accounts(accessOf(access), sources),
    loginSessions,
    loginTokens,
    credentials: new Credentials(),
    throttle: new Throttle(() => 0),
    observer,
    isHttpsOnly: false,
    log,
  });
  const gate = new Gate({
    authenticator,
    isKnownHost: (name) => name === "bench.lab",
    allowedOrigins: new Set(allowedOrigins),
    isClosing: () => isClosing,
    isShuttingDown: () => false,
    isHttpsOnly: false,
  });
  return {
    app: createApp({
      gate,
      routes: [...routes, loginTokenRoute(loginTokens)],
      state: new FakeControl(["sim/world", "sim/arm", "base/core"]).state,
      observer,
      log,
    }),
    loginSessions,
    logged,
  };
}

/** Requests to routes behind the gate, by users of an auth file. */
export class AppRig implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "mgr-app-"));
  readonly #parts: ReturnType<typeof appOf>;

  constructor(routes: readonly Route[], options: Omit<AppOptions, "routes" | "authFile"> = {}) {
    const authFile = join(this.#folder, "webui.keys");
    writeFileSync(authFile, `${USER} ${PASSWORD}\nbob secret\n`, { mode: 0o600 });
    this.#parts = appOf({ ...options, routes, authFile });
  }

  get sessions(): LoginSessions {
    return this.#parts.loginSessions;
  }

  async request(path: string, headers: Record<string, string> = {}, method = "GET", remote: Partial<RequestBindings["remote"]> = {}) {
    const bindings: RequestBindings = { remote: { ...REMOTE, ...remote }, disconnect: () => {} };
    return this.#parts.app.request(path, { method, headers: { host: HOST, ...headers } }, bindings);
  }

  /** Logs in as a script, and gives the session cookie. */
  async cookie(authorization = GOOD): Promise<string> {
    return cookieOf((await this.request("/", { authorization })).headers.get("set-cookie"));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
