import { randomBytes } from "node:crypto";
import { isBrowser } from "../../../http/request/browser.ts";
import { clientName } from "../../../http/request/client-name.ts";
import { refusal, refusalResponse } from "../../../http/request/refusal.ts";
import { addressKey } from "../../../http/request/remote-end.ts";
import type { Route, RouteContext } from "../../../http/route.ts";
import { originOf } from "../config.ts";
import { type FailedLogin, LOGIN_PATH, type OidcLogins } from "./oidc-logins.ts";
import { PENDING_MS, PendingLogins } from "./pending-logins.ts";
import { problemPage } from "./problem-page.ts";
import { type BegunLogin, CALLBACK_PATH, type Provider } from "./provider.ts";

interface Login {
  readonly provider: Provider;
  readonly begun: BegunLogin;
  /** Address of the page that was asked for. */
  readonly to: string;
}

const MAX_TO_CHARS = 2_048;
const STATE = /^[\w-]{16,128}$/;

/** The two addresses of a login: the one where it begins, and the one to which the provider sends the browser back. */
export function loginRoutes(logins: OidcLogins, monotonic: () => number): Route[] {
  const pending = new PendingLogins<Login>(monotonic);
  const open = { method: "GET", isOpen: true, needs: null } as const;
  return [
    { ...open, path: LOGIN_PATH, handle: (context) => begin(context, logins, pending) },
    { ...open, path: CALLBACK_PATH, handle: (context) => finish(context, logins, pending) },
  ];
}

async function begin(context: RouteContext, logins: OidcLogins, pending: PendingLogins<Login>): Promise<Response> {
  const { headers, method, url } = context.req.raw;
  const provider = logins.provider();
  if (provider === null) return notConfigured();
  const origin = originOf(provider.settings);
  // A link alone must not change who a browser is logged in as: its user clicks on the login page.
  if (method === "HEAD" || (isBrowser(headers) && !isFromPageOf(origin, headers))) return redirect(`${origin}/mgr/login`);
  const begun = await logins.begin(provider);
  if (isFailed(begun)) return problemPage(begun.status, begun.message);
  const binding = randomBytes(32).toString("base64url");
  const to = ownAddress(new URL(url).searchParams.get("to"), origin);
  pending.add(begun.state, { binding, address: addressKey(context.env.remote), login: { provider, begun, to } });
  return redirect(begun.url.href, bindingCookie(begun.state, binding, origin));
}

async function finish(context: RouteContext, logins: OidcLogins, pending: PendingLogins<Login>): Promise<Response> {
  const { headers, method } = context.req.raw;
  const { search, searchParams } = new URL(context.req.url);
  const { settings } = logins;
  if (settings === null) return notConfigured();
  if (method === "HEAD") return refusalResponse(refusal(405, "A login is completed by GET.", { Allow: "GET" }));
  const state = searchParams.get("state") ?? "";
  const binding = STATE.test(state) ? (cookieOf(headers.get("cookie"), cookieName(state)) ?? "") : "";
  const login = pending.take(state, binding);
  if (login === null)
    return problemPage(
      400,
      "This login was completed already, took too long, or was begun in another browser or at another address. Begin again.",
    );
  const place = { remote: context.env.remote, client: clientName(headers, new URLSearchParams()) };
  const outcome = await logins.finish(login.provider, login.begun, { answer: search, place });
  const forget = bindingCookie(state, "", originOf(settings));
  if (!isFailed(outcome)) return redirect(login.to, outcome.setCookie, forget);
  const page = problemPage(outcome.status, outcome.message);
  page.headers.append("Set-Cookie", forget);
  return page;
}

const isFailed = (outcome: object): outcome is FailedLogin => "status" in outcome;

const notConfigured = (): Response => refusalResponse(refusal(404, "This manager has no OpenID provider (instance.oidc)."));

/** Over plain HTTP browsers send no Sec-Fetch headers; pages of the manager send their address (src/http/request/security-headers.ts). */
function isFromPageOf(origin: string, headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const referer = headers.get("referer") ?? "";
  return URL.canParse(referer) && new URL(referer).origin === origin;
}

/** The address if it is one of this page, else the start. */
function ownAddress(to: string | null, origin: string): string {
  if (to === null || to.length > MAX_TO_CHARS || !URL.canParse(to, origin)) return "/";
  const url = new URL(to, origin);
  return url.origin === origin ? `${url.pathname}${url.search}${url.hash}`.replace(/^\/+/, "/") : "/";
}

/** One cookie for each login, so that two tabs can log in at the same time. */
const cookieName = (state: string): string => `mgr_oidc_${state.slice(0, 12)}`;

/** The cookie comes back with the redirect of the provider, because that is a navigation (SameSite=Lax). An empty value removes it. */
function bindingCookie(state: string, value: string, origin: string): string {
  const age = value === "" ? 0 : PENDING_MS / 1_000;
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(state)}=${value}; Path=/mgr/oidc; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

function cookieOf(header: string | null, name: string): string | null {
  const pair = header?.split(";").find((each) => each.trim().startsWith(`${name}=`));
  return pair === undefined ? null : pair.trim().slice(name.length + 1);
}

function redirect(location: string, ...cookies: string[]): Response {
  const headers = new Headers({ Location: location, "Cache-Control": "no-store" });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}
