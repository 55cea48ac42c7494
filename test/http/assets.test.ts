import { createHash } from "node:crypto";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { loadAssets } from "../../src/http/files/built-assets.ts";
import { GOOD, Rig } from "./rig.ts";

const script = "/assets/index-abc.js";

describe("the page and its files", () => {
  test("the page carries the hash of its assets and is requested again each time", async () => {
    await using rig = await Rig.start();
    const cookie = await rig.cookie();
    const page = await rig.get("/?v=old&single_process=x", { cookie });
    const hash = loadAssets(rig.assetsDir).hash;
    expect(await page.text()).toContain(`<meta name="mgr-asset-hash" content="${hash}" />`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const again = await rig.get("/", { cookie, "if-none-match": page.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
  });

  test("the policy of the page allows its own inline script by its hash, and no other one", async () => {
    await using rig = await Rig.start();
    const usual = (await rig.get(script, { authorization: GOOD })).headers.get("content-security-policy") ?? "";
    expect(usual).toContain("; script-src 'self'; ");
    const code = "\nopenSocket(`ü`);\n";
    writeFileSync(join(rig.assetsDir, "index.html"), `<!doctype html><html><head><script>${code}</script></head><body></body></html>`);
    await rig.close();
    await rig.listen();
    const cookie = await rig.cookie();
    const page = await rig.get("/?single_process=<script>1</script>", { cookie });
    expect(await page.text()).toContain(`<script>${code}</script>`);
    const hash = createHash("sha256").update(code).digest("base64");
    expect(page.headers.get("content-security-policy")).toBe(usual.replace("'self'", `'self' 'sha256-${hash}'`));
    const again = await rig.get("/", { cookie, "if-none-match": page.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
    expect(again.headers.get("content-security-policy")).toBe(page.headers.get("content-security-policy"));
    expect((await rig.get(script, { cookie })).headers.get("content-security-policy")).toBe(usual);
  });

  test("assets are cached for ever, by the browser that logged in alone", async () => {
    await using rig = await Rig.start();
    const response = await rig.get(script, { authorization: GOOD, "accept-encoding": "identity" });
    expect(response.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("content-length")).toBe(String((await response.text()).length));
    const etag = response.headers.get("etag") ?? "";
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      expect((await rig.get(script, { authorization: GOOD, "accept-encoding": "identity", "if-none-match": known })).status).toBe(304);
    }
    expect((await rig.get(script, { authorization: GOOD, "if-none-match": '"other"' })).status).toBe(200);
    expect((await rig.get("/icon.svg", { authorization: GOOD })).headers.get("cache-control")).toBe("no-cache");
  });

  test("a compressed form is sent to clients that accept it, with its own ETag", async () => {
    await using rig = await Rig.start();
    const head = (accept: string) => rig.get(script, { authorization: GOOD, "accept-encoding": accept }, { method: "HEAD" });
    const plain = await head("identity");
    const brotli = await head("gzip, br;q=0.9");
    expect(brotli.headers.get("content-encoding")).toBe("br");
    expect(brotli.headers.get("vary")).toBe("Accept-Encoding");
    expect(brotli.headers.get("content-length")).toBe(String("pretend this is brotli".length));
    expect(brotli.headers.get("etag")).not.toBe(plain.headers.get("etag"));
    expect((await head("br;q=0")).headers.get("content-encoding")).toBeNull();
    expect((await head("gzip")).headers.get("content-encoding")).toBeNull();
  });

  test("a large file is kept compressed only, and sent whole to a client that accepts nothing else", async () => {
    await using rig = await Rig.start();
    const content = "the same line\n".repeat(10_000);
    const path = join(rig.assetsDir, "assets/large-abc.js");
    writeFileSync(path, content);
    writeFileSync(`${path}.gz`, gzipSync(content));
    const { files } = loadAssets(rig.assetsDir);
    const asset = files.get("/assets/large-abc.js");
    expect(asset?.body.toString()).toBe(content);
    expect(asset?.body).not.toBe(asset?.body);
    expect(files.get(script)?.body).toBe(files.get(script)?.body);
  });

  test("without a built page the login works, and the page says how to build it", async () => {
    await using rig = await Rig.start({ assets: loadAssets("/nonexistent") });
    const response = await rig.get("/", { authorization: GOOD });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("npm run build");
    expect((await rig.get("/")).status).toBe(401);
    expect((await rig.get("/mgr/log", { authorization: GOOD })).status).toBe(200);
  });
});

test("one changed byte, name or file changes the asset hash; a new modification time or compressed copy does not", async () => {
  await using rig = await Rig.start();
  const file = join(rig.assetsDir, "assets/index-abc.js");
  const hashes = [loadAssets(rig.assetsDir).hash];
  utimesSync(file, 1, 1);
  writeFileSync(`${file}.gz`, "anything");
  expect(loadAssets(rig.assetsDir).hash).toBe(hashes[0]);
  writeFileSync(file, "console.log('mgs')");
  hashes.push(loadAssets(rig.assetsDir).hash);
  writeFileSync(join(rig.assetsDir, "new.txt"), "");
  hashes.push(loadAssets(rig.assetsDir).hash);
  rmSync(join(rig.assetsDir, "icon.svg"));
  hashes.push(loadAssets(rig.assetsDir).hash);
  expect(new Set(hashes).size).toBe(4);
});
