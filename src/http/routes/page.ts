import { refusal, refusalResponse } from "../access/refusal.ts";
import type { Asset, BuiltAssets } from "../files/built-assets.ts";
import type { Route } from "../route.ts";
import { assetResponse } from "./assets.ts";

const NOT_BUILT =
  "The web page is not built. Build it (npm run build) and restart the manager. Scripts can use the WebSocket at /ws without it.";

/** Addresses of the page: it looks at its own address for what to show. */
const PATHS = ["/", "/mgr/process-list"];

/** The page, carrying the hash of its assets (docs/design/wire-rules.md, "Versioning"). */
export function pageRoutes(assets: BuiltAssets): Route[] {
  return PATHS.map((path) => pageRoute(path, assets));
}

function pageRoute(path: string, { files, hash }: BuiltAssets): Route {
  const built = files.get("/index.html");
  const page = built && withAssetHash(built, hash);
  return {
    path,
    method: "GET",
    handle: (context) => (page ? assetResponse(context, page, "no-cache") : refusalResponse(refusal(503, NOT_BUILT))),
  };
}

function withAssetHash(page: Asset, hash: string): Asset {
  const html = page.body.toString().replace(/<head[^>]*>/i, (head) => `${head}\n    <meta name="mgr-asset-hash" content="${hash}" />`);
  return { body: Buffer.from(html), type: page.type, etag: `${page.etag}-${hash}`, encodings: [] };
}
