// Puts a .br and a .gz beside each file of the built page that becomes smaller by it: the server sends them as they are.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const TEXTS = new Set([".html", ".js", ".mjs", ".css", ".json", ".svg", ".webmanifest", ".txt", ".wasm", ".ttf"]);
/** What saves less is not worth a decompression, part of the size. */
const WORTH = 0.9;

/** Same input, same output: the bytes depend on the files alone. */
export function compressAssets(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // The page itself gets the hash of its assets when it is served.
    if (!entry.isFile() || !TEXTS.has(extname(path)) || entry.name === "index.html") continue;
    const content = readFileSync(path);
    const brotli = brotliCompressSync(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    });
    for (const [suffix, body] of [
      [".br", brotli],
      [".gz", gzipSync(content, { level: 9 })],
    ]) {
      if (body.length < content.length * WORTH) writeFileSync(path + suffix, body);
    }
  }
}
