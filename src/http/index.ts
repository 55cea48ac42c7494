import type { IncomingMessage, ServerResponse } from "node:http";
import { hostname } from "node:os";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Control } from "../actors/control.ts";
import type { Transport } from "../transport/websocket.ts";
import { createApp } from "./app.ts";
import type { AuthEntry } from "./auth-entries.ts";
import { AuthFile } from "./auth-file.ts";
import { Authenticator } from "./authenticate.ts";
import { loadAssets } from "./built-assets.ts";
import { Credentials } from "./credentials.ts";
import { type Belonging, Followers } from "./followers.ts";
import { Gate } from "./gate.ts";
import { type HttpLog, stackOf } from "./http-log.ts";
import { type ListenAddress, urlOf } from "./listen.ts";
import { Listener } from "./listener.ts";
import { OpenWebSockets } from "./open-websockets.ts";
import { refusal, refusalResponse } from "./refusal.ts";
import { remoteEnd } from "./remote-end.ts";
import { assetRoutes } from "./routes/assets.ts";
import { healthRoute } from "./routes/health.ts";
import { logRoute } from "./routes/log.ts";
import { logoutRoute } from "./routes/logout.ts";
import { pageRoute } from "./routes/page.ts";
import { websocketHintRoute } from "./routes/websocket-hint.ts";
import { Sessions } from "./sessions.ts";
import { Throttle } from "./throttle.ts";
import { Upgrades } from "./upgrade.ts";

export { assetHash } from "./built-assets.ts";

export interface HttpServerOptions {
  readonly control: Control;
  readonly transport: Pick<Transport, "accept">;
  /** Absolute path; null: not configured, and everybody is refused. */
  readonly authFile: string | null;
  /** Value of the token that acts as the first entry's user from loopback; null: none. */
  readonly localToken: string | null;
  readonly listen: ListenAddress;
  /** Where the page was built to. */
  readonly assetsDir: string;
  /** Host names to answer to beside localhost, IP literals, this machine's name and those of `control.hosts()`. */
  readonly allowedHosts: readonly string[];
  readonly log: HttpLog;
}

export interface HttpServer {
  readonly port: number;
  /** For a client on this machine, for example `http://localhost:8130`. */
  readonly url: string;
  /** Ends everything within a few seconds. Close the transport first: it says goodbye to its WebSockets. */
  close(): Promise<void>;
}

/** How often the auth file is looked at when nobody asks: revoked WebSockets close within 5 s, ms. */
const REVOCATION_INTERVAL = 1_000;

/** The web interface's port, listening. Rejects with MgrError `conflict` when it cannot. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { control, transport, log } = options;
  const assets = await loadAssets(options.assetsDir);
  const followers = new Followers();
  const open = new OpenWebSockets();
  const end = (which: (belonging: Belonging) => boolean, reason: string) => {
    followers.end(which);
    open.end(which, reason);
  };

  const authFile = new AuthFile(options.authFile, log);
  const sessions = new Sessions({ path: options.authFile === null ? null : `${options.authFile}.sessions`, now: Date.now, log });
  authFile.onChange((previous, next) => {
    sessions.prune(next);
    const revoked = revokedUsers(previous, next);
    for (const user of revoked) log("info", `web user '${user}' was removed or has another password: sessions and connections end`);
    if (revoked.size > 0) end(({ user }) => revoked.has(user), "the password changed or the user was removed");
  });

  let isClosing = false;
  const credentials = new Credentials();
  const throttle = new Throttle(() => performance.now());
  const authenticator = new Authenticator({ authFile, sessions, credentials, throttle, localToken: options.localToken, log });
  const gate = new Gate({ authenticator, isKnownHost: knownHosts(options.allowedHosts, control), isClosing: () => isClosing });
  const endSession = (id: string) => {
    sessions.end(id);
    end(({ sessionId }) => sessionId === id, "logged out");
  };
  const routes = [
    pageRoute(assets),
    ...assetRoutes(assets),
    websocketHintRoute,
    logRoute(control.log, followers),
    healthRoute,
    logoutRoute(endSession),
  ];
  const onRequest = requestListener(createApp({ gate, routes, log }), log);
  const upgrades = new Upgrades({ gate, control, transport, open, onRequest, log });
  const listener = new Listener({ onRequest, onUpgrade: (...upgrade) => upgrades.handle(...upgrade), log });

  const port = await listener.listen(options.listen);
  // Not before: a manager that cannot have the port must leave the sessions file alone.
  authFile.read();
  const watch = setInterval(() => authFile.read(), REVOCATION_INTERVAL);
  return {
    port,
    url: urlOf(options.listen.host, port),
    async close() {
      isClosing = true;
      clearInterval(watch);
      followers.end(() => true);
      await listener.close();
      await sessions.flush();
    },
  };
}

/** Node's requests through the app. Nothing that is thrown leaves it. */
function requestListener(app: ReturnType<typeof createApp>, log: HttpLog) {
  const listener = getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse };
      return app.fetch(request, { remote: remoteEnd(incoming.socket), disconnect: () => outgoing.destroy() });
    },
    {
      overrideGlobalObjects: false,
      errorHandler(error) {
        if (error instanceof RequestError) return refusalResponse(refusal(400, "The address of this request is malformed."));
        log("error", `a request failed: ${stackOf(error)}`);
        return refusalResponse(refusal(500, "This request failed because of a defect of this manager; its log has the details."));
      },
    },
  );
  return (request: IncomingMessage, response: ServerResponse) => {
    // A client that leaves in the middle of its request: the answer goes nowhere.
    request.on("error", () => response.destroy());
    void listener(request, response);
  };
}

function knownHosts(allowed: readonly string[], control: Control): (name: string) => boolean {
  const names = new Set([...allowed, hostname(), control.manager.host].map((name) => name.toLowerCase().replace(/\.$/, "")));
  return (name) => names.has(name) || control.hosts().some(({ all_names }) => all_names.some((known) => known.toLowerCase() === name));
}

function revokedUsers(previous: readonly AuthEntry[], next: readonly AuthEntry[]): Set<string> {
  const kept = (before: AuthEntry) => next.some(({ user, secret }) => user === before.user && secret === before.secret);
  return new Set(previous.filter((before) => !kept(before)).map(({ user }) => user));
}
