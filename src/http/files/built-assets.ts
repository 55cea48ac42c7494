import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { getMimeType } from "hono/utils/mime";

/** One file of the built page, in memory, so that the served content always matches its hash. */
export interface Asset {
  readonly body: Buffer;
  readonly type: string;
  /** Strong ETag of the content. */
  readonly etag: string;
  /** Compressed versions by content coding, best first. */
  readonly encodings: readonly { readonly coding: "br" | "gzip"; readonly body: Buffer }[];
}

export interface BuiltAssets {
  /** `webui_asset_hash`: the hash of all names and contents. */
  readonly hash: string;
  /** Files by path below the root, for example `/assets/index-B2x.js`. Empty: the page is not built. */
  readonly files: ReadonlyMap<string, Asset>;
}

const CODINGS = [
  { coding: "br", suffix: ".br" },
  { coding: "gzip", suffix: ".gz" },
] as const;
const COMPRESSED = /\.(br|gz)$/;
/** Maximum size of a file that is also kept uncompressed, bytes: nearly all browsers accept the compressed one, which saves 2 MB of memory. */
const MAX_KEPT_BYTES = 64 * 1024;

/**
 * Reads the folder that the page was built into; a missing one is an unbuilt page. Blocks for some 15 ms: each of 270 files read asynchronously
 * takes four trips to the thread pool, 100 ms in all.
 */
export function loadAssets(dir: string): BuiltAssets {
  const contents = readTree(dir);
  const files = new Map<string, Asset>();
  const all = createHash("sha256");
  for (const [path, body] of [...contents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (COMPRESSED.test(path)) continue;
    const digest = createHash("sha256").update(body).digest();
    all.update(`${Buffer.byteLength(path)}:${path}`).update(digest);
    const encodings = CODINGS.flatMap(({ coding, suffix }) => {
      const compressed = contents.get(path + suffix);
      return compressed ? [{ coding, body: compressed }] : [];
    });
    const type = getMimeType(path) ?? "application/octet-stream";
    const asset = { body, type, etag: digest.toString("base64url").slice(0, 22), encodings };
    files.set(path, body.length > MAX_KEPT_BYTES ? withoutBody(asset) : asset);
  }
  return { hash: all.digest("hex").slice(0, 32), files };
}

function withoutBody(asset: Asset): Asset {
  const gzip = asset.encodings.find(({ coding }) => coding === "gzip");
  if (gzip === undefined) return asset;
  const { type, etag, encodings } = asset;
  return {
    get body() {
      return gunzipSync(gzip.body);
    },
    type,
    etag,
    encodings,
  };
}

function readTree(dir: string): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (const entry of list(dir)) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    contents.set(`/${file.slice(dir.length).replace(/^\/+/, "")}`, readFileSync(file));
  }
  return contents;
}

function list(dir: string) {
  try {
    return readdirSync(dir, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
