import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Certificate } from "../../src/http/server/certificate.ts";
import { makeCertificate } from "./certificates.ts";
import { cookieOf, GOOD, Rig, raw, upgradeRequest } from "./rig.ts";

const folder = mkdtempSync(join(tmpdir(), "mgr-tls-"));
let one: { certFile: string; keyFile: string };
let two: { certFile: string; keyFile: string };
beforeAll(() => {
  one = makeCertificate(folder, "one");
  two = makeCertificate(folder, "two");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly certificate: string;
}

/** GET over HTTPS on a connection of its own. */
async function get(rig: Rig, path: string, headers: Record<string, string> = {}, options: RequestOptions = {}): Promise<Answer> {
  const request = httpsRequest({
    host: "127.0.0.1",
    port: rig.server.port,
    path,
    headers: { host: rig.host, ...headers },
    rejectUnauthorized: false,
    agent: false,
    ...options,
  });
  request.end();
  const [response] = await once(request, "response");
  const certificate = String((response.socket as TLSSocket).getPeerCertificate().subject.CN);
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, text, certificate };
}

describe("HTTPS on the same port", () => {
  test("HTTP, HTTPS, WebSocket and secure WebSocket are distinguished by their first byte", async () => {
    await using rig = await Rig.start({ certificate: one });
    expect((await get(rig, "/mgr/health")).text).toBe("ok");
    expect((await fetch(`http://${rig.host}/mgr/health`)).status).toBe(200);
    for (const scheme of ["ws", "wss"]) {
      const ws = new WebSocket(`${scheme}://${rig.host}/ws`, { headers: { authorization: GOOD }, rejectUnauthorized: false });
      await once(ws, "open");
      ws.terminate();
    }
    expect(rig.transport.accepted).toHaveLength(2);
    expect([rig.server.url, rig.server.localUrl]).toEqual([`https://${rig.host}`, `http://${rig.host}`]);
  });

  test("the cookie of either is valid on the other, and has no Secure", async () => {
    await using rig = await Rig.start({ certificate: one });
    const { headers } = await get(rig, "/", { authorization: GOOD });
    expect(headers["set-cookie"]).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Lax$/)]);
    expect((await rig.get("/mgr/log", { cookie: cookieOf(headers["set-cookie"]?.[0]) })).status).toBe(200);
  });

  test("TLS 1.2 and 1.3 are accepted, older ones are not", async () => {
    await using rig = await Rig.start({ certificate: one });
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      expect((await get(rig, "/mgr/health", {}, { minVersion: version, maxVersion: version })).status).toBe(200);
    }
    for (const version of ["TLSv1", "TLSv1.1"] as const) {
      const old = get(rig, "/mgr/health", {}, { minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" });
      await expect(old).rejects.toMatchObject({ code: expect.stringMatching(/EPROTO|ERR_SSL/) });
    }
  });

  test("ALPN: a client that offers HTTP/2 as well gets HTTP/1.1", async () => {
    await using rig = await Rig.start({ certificate: one });
    const socket = connectTls({ host: "127.0.0.1", port: rig.server.port, rejectUnauthorized: false, ALPNProtocols: ["h2", "http/1.1"] });
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe("http/1.1");
    socket.destroy();
  });

  test("100 requests go over one TLS connection", async () => {
    await using rig = await Rig.start({ certificate: one });
    const socket = connectTls({ host: "127.0.0.1", port: rig.server.port, rejectUnauthorized: false });
    let answers = 0;
    socket.on("data", (chunk: Buffer) => {
      answers += chunk.toString("latin1").split("HTTP/1.1 200").length - 1;
      if (answers === 100) socket.end();
      else socket.write(`GET /mgr/health HTTP/1.1\r\nHost: ${rig.host}\r\n\r\n`);
    });
    socket.write(`GET /mgr/health HTTP/1.1\r\nHost: ${rig.host}\r\n\r\n`);
    await once(socket, "close");
    expect(answers).toBe(100);
  });

  test("garbage in place of a handshake, and resets within one, do no harm", async () => {
    await using rig = await Rig.start({ certificate: one });
    expect(await raw(rig.server.port, `\x16\x03\x01\x00\x05hello${"x".repeat(100)}`)).not.toContain("HTTP");
    const hello = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    for (let index = 0; index < 50; index++) {
      const socket = connectTls({ host: "127.0.0.1", port: rig.server.port, rejectUnauthorized: false });
      socket.on("error", () => {});
      setImmediate(() => socket.destroy());
    }
    const half = raw(rig.server.port, hello);
    expect((await get(rig, "/mgr/health")).status).toBe(200);
    await rig.close();
    expect(await half).toBe("");
  });
});

describe("https_only", () => {
  test("plain HTTP is redirected to the same address, upgrades too, and cookies are Secure", async () => {
    await using rig = await Rig.start({ certificate: one, isHttpsOnly: true });
    const redirected = await fetch(`http://${rig.host}/?a=1&b=%2f`, { headers: { authorization: GOOD }, redirect: "manual" });
    expect([redirected.status, redirected.headers.get("location")]).toEqual([308, `https://${rig.host}/?a=1&b=%2f`]);
    expect(redirected.headers.getSetCookie()).toEqual([]);
    expect((await fetch(`http://${rig.host}/mgr/health`, { redirect: "manual" })).status).toBe(308);
    expect(await raw(rig.server.port, upgradeRequest("/ws?log_only=1", rig.host, { Authorization: GOOD }))).toMatch(
      /^HTTP\/1\.1 308 [\s\S]*^Location: https:\/\/127\.0\.0\.1:\d+\/ws\?log_only=1\r$/m,
    );
    const { headers } = await get(rig, "/", { authorization: GOOD });
    expect(headers["set-cookie"]).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Lax; Secure$/)]);
  });

  test("a foreign Host is refused and not redirected to", async () => {
    await using rig = await Rig.start({ certificate: one, isHttpsOnly: true });
    const answer = await raw(rig.server.port, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).not.toContain("Location");
  });
});

describe("the certificate", () => {
  test("is read again when the files change; while they do not match, the previous one stays in use", async () => {
    const certFile = join(folder, "live.pem");
    const keyFile = join(folder, "live.key");
    copyFileSync(one.certFile, certFile);
    copyFileSync(one.keyFile, keyFile);
    await using rig = await Rig.start({ certificate: { certFile, keyFile } });
    expect((await get(rig, "/mgr/health")).certificate).toBe("one");
    const open = connectTls({ host: "127.0.0.1", port: rig.server.port, rejectUnauthorized: false });
    await once(open, "secureConnect");

    copyFileSync(two.certFile, certFile);
    expect((await get(rig, "/mgr/health")).certificate).toBe("one");
    expect((await get(rig, "/mgr/health")).certificate).toBe("one");
    expect(rig.logged.filter((line) => line.startsWith("warning: HTTPS keeps using the previous certificate"))).toHaveLength(1);

    copyFileSync(two.keyFile, `${keyFile}.new`);
    renameSync(`${keyFile}.new`, keyFile);
    expect((await get(rig, "/mgr/health")).certificate).toBe("two");
    expect(rig.logged.join()).toContain(`HTTPS uses the new certificate of ${certFile}`);
    expect(open.destroyed).toBe(false);
    open.destroy();
  });

  test("may hold its key in the same file", async () => {
    const certFile = join(folder, "both.pem");
    writeFileSync(certFile, readFileSync(one.keyFile, "utf8") + readFileSync(one.certFile, "utf8"), { mode: 0o600 });
    await using rig = await Rig.start({ certificate: { certFile, keyFile: null } });
    expect((await get(rig, "/mgr/health")).certificate).toBe("one");
  });

  test.each([
    ["missing", () => ({ certFile: join(folder, "none.pem"), keyFile: null }), /webui_https_cert_file: .*none\.pem is missing/],
    ["without a key", () => ({ certFile: one.certFile, keyFile: null }), /one\.pem contains no private key.*webui_https_key_file/],
    ["with another's key", () => ({ certFile: one.certFile, keyFile: two.keyFile }), /HTTPS cannot use .*key values mismatch/],
    ["a folder", () => ({ certFile: folder, keyFile: null }), /is not regular/],
  ])("%s: the manager does not start, and reports why", (_, files, message) => {
    expect(() => new Certificate(files(), () => {})).toThrow(message);
  });
});
