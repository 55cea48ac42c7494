import { createHash } from "node:crypto";
import { escaped } from "../access/confirmation-page.ts";
import { requestToken } from "../access/proof.ts";
import type { Admission } from "../auth/authenticate.ts";
import type { LoginOffer } from "../auth/login-offer.ts";
import type { Asset, BuiltAssets } from "../files/built-assets.ts";
import { refusal, refusalResponse } from "../request/refusal.ts";
import { contentSecurityPolicy } from "../request/security-headers.ts";
import type { Route, RouteContext } from "../route.ts";

/** Names below /assets contain a hash of the content, so they can be cached for ever, but only by the browser that logged in. */
const FOR_EVER = "private, max-age=31536000, immutable";

const LOGIN_FORM = "/login.html";
/** The place in the login form for links to other ways to log in. */
const OFFERS = "<!-- other ways to log in -->";
/** Served without a login: the login page loads it. */
const LOGIN_SCRIPT = "/login.js";

/** Everything that the page loads: `/assets/…`, and the few files beside it (its icon, the login page's script). */
export function assetRoutes({ files }: BuiltAssets): Route[] {
  const beside = [...files.keys()].filter((path) => !path.startsWith("/assets/") && path !== "/index.html" && path !== LOGIN_FORM);
  return ["/assets/*", ...beside].map((path) => ({
    path,
    method: "GET",
    needs: null,
    ...(path === LOGIN_SCRIPT ? { isOpen: true } : {}),
    handle: (context) => serve(context, files),
  }));
}

function serve(context: RouteContext, files: BuiltAssets["files"]): Response {
  const { path } = context.req;
  const asset = files.get(path);
  if (!asset) return refusalResponse(refusal(404, `Not found: ${JSON.stringify(path)}. Reload the page.`));
  return assetResponse(context, asset, path.startsWith("/assets/") ? FOR_EVER : "no-cache");
}

export function assetResponse(context: RouteContext, asset: Asset, cacheControl: string): Response {
  const accepted = context.req.header("accept-encoding") ?? "";
  const encoded = asset.encodings.find(({ coding }) => accepts(accepted, coding));
  const body = encoded?.body ?? asset.body;
  const etag = `"${asset.etag}${encoded ? `-${encoded.coding}` : ""}"`;
  const headers: Record<string, string> = { ETag: etag, "Cache-Control": cacheControl, Vary: "Accept-Encoding" };
  if (isKnown(context.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  if (encoded) headers["Content-Encoding"] = encoded.coding;
  return new Response(new Uint8Array(body), { headers: { ...headers, "Content-Type": asset.type, "Content-Length": String(body.length) } });
}

function accepts(header: string, coding: string): boolean {
  return header.split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** RFC 9110, 13.1.2: weak comparison. */
function isKnown(header: string | undefined, etag: string): boolean {
  const items = (header ?? "").split(",").map((item) => item.trim().replace(/^W\//, ""));
  return items.includes("*") || items.includes(etag);
}

const NOT_BUILT =
  "The web page is not built. Build it (npm run build) and restart the manager. Scripts can use the WebSocket at /ws without it.";

/** Addresses of the page. The page shows a view that depends on its own address. */
const PATHS = ["/", "/mgr/process-list"];

/** The page, with the hash of its assets (docs/design/wire-rules.md, "Versioning"), and the login form. */
export function pageRoutes(assets: BuiltAssets, offers: () => readonly LoginOffer[] = () => []): Route[] {
  const form = assets.files.get(LOGIN_FORM);
  const shown = form && (() => withOffers(form, offers()));
  const pages = PATHS.map((path) => pageRoute(path, assets, shown && (() => shown().body.toString())));
  return shown === undefined ? pages : [...pages, ...loginRoutes(shown)];
}

function pageRoute(path: string, { files, hash }: BuiltAssets, loginPage: (() => string) | undefined): Route {
  const built = files.get("/index.html");
  const page = built && withMeta(built, "mgr-asset-hash", hash);
  const contentPolicy = built && contentSecurityPolicy(inlineScriptsOf(built.body.toString()));
  return {
    path,
    method: "GET",
    needs: null,
    ...(loginPage === undefined ? {} : { loginPage }),
    handle: (context) => {
      if (page === undefined) return refusalResponse(refusal(503, NOT_BUILT));
      context.set("contentPolicy", contentPolicy);
      return assetResponse(context, forVisitor(page, context.get("admission")), "no-cache");
    },
  };
}

/** The inline scripts of the built page, as sources of a Content-Security-Policy. Nothing of a visitor is in it yet. */
function inlineScriptsOf(html: string): string[] {
  return [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
}

/** `GET /mgr/login`: the form alone, without the browser's own dialog. `POST /mgr/login`: its request, with HTTP Basic. */
function loginRoutes(form: () => Asset): Route[] {
  const path = "/mgr/login";
  return [
    { path, method: "GET", isOpen: true, needs: null, handle: (context) => assetResponse(context, form(), "no-store") },
    {
      path,
      method: "POST",
      isLogin: true,
      needs: null,
      handle: () => new Response("Logged in.\n", { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } }),
    },
  ];
}

/** The page with the name of its user, and with the token that proves its requests. */
function forVisitor(page: Asset, { principal, sessionId }: Admission): Asset {
  const user = withMeta(page, "mgr-user", principal.user);
  return sessionId === null ? user : withMeta(user, "mgr-request-token", requestToken(sessionId));
}

/** The login form with links to other ways to log in. */
function withOffers(form: Asset, offers: readonly LoginOffer[]): Asset {
  if (offers.length === 0) return form;
  const links = offers.map(({ label, href }) => `<a class="offer" href="${escaped(href)}">${escaped(label)}</a>`).join("\n        ");
  const html = form.body.toString().replace(OFFERS, () => links);
  return changed(form, html, links);
}

/** The asset with another text, which depends on `by`. */
function changed({ type, etag }: Asset, html: string, by: string): Asset {
  const digest = createHash("sha256").update(by).digest("base64url").slice(0, 12);
  return { body: Buffer.from(html), type, etag: `${etag}-${digest}`, encodings: [] };
}

function withMeta(asset: Asset, name: string, content: string): Asset {
  const html = asset.body
    .toString()
    .replace(/<head[^>]*>/i, (head) => `${head}\n    <meta name="${name}" content="${escaped(content)}" />`);
  return changed(asset, html, content);
}
