import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, test } from "vitest";
import type { RetainedOutput } from "../../src/actors/control.ts";
import { Archive } from "../../src/http/archive/archive.ts";
import { fileNameOf } from "../../src/http/archive/archive-parts.ts";
import { archiveName } from "../../src/http/routes/save-all.ts";
import { processesWith, until } from "../support/processes.ts";
import { GOOD, Rig, readUntil } from "./rig.ts";
import { unpack } from "./unpack.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const folder = mkdtempSync(join(tmpdir(), "mgr-archive-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function outputOf(text: string): RetainedOutput {
  return { size: Buffer.byteLength(text), pages: pagesOf(Buffer.from(text)) };
}

async function* pagesOf(...pages: Buffer[]): AsyncGenerator<Uint8Array> {
  yield* pages;
}

const CONFIG = `# CANARY in a comment
instance: {name: t, manager: ":0", bus_token: CANARY}
processes:
  sim/world:
    command: ./world
    environment: {API: CANARY, PLAIN: "CANARY"}
`;

describe("GET /save-all", () => {
  test("is a .tar.bz2 that the system's tar opens, and each file equals the live answer", async () => {
    await using rig = await Rig.start();
    const outputs: Record<string, string> = { "sim/world": "grün\r\n", "sim/eyes": "", lone: "x".repeat(3_000_000) };
    rig.control.terminals.retainedOutput = async (name) => outputOf(outputs[name] ?? "");
    rig.control.log.append({ level: "warning", source: "manager", msg: "two\nlines" });
    const files = await unpack(rig, "?name=bench");
    const ofFeatures: string[] = [];
    for (const { http } of rig.control.extensions) for await (const { name } of http?.archiveParts?.() ?? []) ofFeatures.push(name);
    expect([...files.keys()].sort()).toEqual(
      [
        ...["environment.json", "manager.log", "output/lone.txt", "output/sim/eyes.txt", "output/sim/world.txt", "snapshot.json"],
        ...ofFeatures,
      ]
        .map((name) => `bench/${name}`)
        .sort(),
    );
    for (const [name, output] of Object.entries(outputs)) expect(files.get(`bench/output/${name}.txt`) === output, name).toBe(true);
    expect(files.get("bench/manager.log")).toBe(await (await rig.get("/mgr/log", { authorization: GOOD })).text());
    expect(JSON.parse(files.get("bench/snapshot.json") ?? "")).toMatchObject({
      type: "snapshot",
      manager: rig.control.manager,
      processes: rig.control.processes(),
      process_tree: rig.control.processTree(),
      host_list: rig.control.hosts(),
    });
    expect(JSON.parse(files.get("bench/environment.json") ?? "")).toMatchObject({ node: { node: process.versions.node } });
  });

  test("holds no secret: canaries in auth file, sessions, tokens, key, configuration and environment are not in it", async () => {
    const configFile = join(folder, "mgr.yaml");
    writeFileSync(configFile, CONFIG);
    process.env.MGR_TEST_SECRET = "CANARY";
    try {
      await using rig = await Rig.start({ configFiles: () => [configFile] });
      rig.writeAuth("ann right horse: battery\nCANARY CANARY\n");
      const cookie = await rig.cookie();
      const files = await unpack(rig, "?name=a");
      const config = files.get("a/config/mgr.yaml") ?? "";
      expect(config).toContain('API: "***"');
      expect(config).toContain("command: ./world");
      const all = [...files].join();
      expect(all).not.toContain("CANARY");
      expect(all).not.toContain(cookie.split("=")[1] ?? "?");
      expect(all).not.toContain("right horse");
      // Written a little after the log-in.
      await until(
        () => existsSync(`${rig.authFile}.sessions`),
        60_000,
        () => "no sessions",
      );
      for (const { id } of JSON.parse(readFileSync(`${rig.authFile}.sessions`, "utf8")).sessions) expect(all).not.toContain(id);
    } finally {
      delete process.env.MGR_TEST_SECRET;
    }
  });

  test("a configuration that is broken is left out, and a missing one is reported", async () => {
    const broken = join(folder, "broken.yaml");
    writeFileSync(broken, "environment: {SECRET: CANARY");
    await using rig = await Rig.start({ configFiles: () => [broken, join(folder, "gone.yaml")] });
    const files = await unpack(rig, "?name=a");
    expect(files.get("a/config/broken.yaml")).toMatch(/^# This file is omitted: it is not valid YAML/);
    expect(files.get("a/config/gone.yaml")).toMatch(/^# This file could not be read: ENOENT/);
  });

  test("an output that cannot be read, wholly or to its end, does not affect the others", async () => {
    await using rig = await Rig.start();
    rig.control.terminals.retainedOutput = async (name) => {
      if (name === "lone") throw new Error("host gone");
      async function* pages() {
        yield Buffer.from("begin");
        if (name === "sim/eyes") throw new Error("link lost");
      }
      return { size: 100, pages: pages() };
    };
    const files = await unpack(rig, "?name=a");
    expect(files.get("a/output/lone.txt")).toBe("[this output could not be read: host gone]\n");
    expect(files.get("a/output/sim/eyes.txt")).toMatch(/^begin\n\[the rest could not be read: link lost\]\n +$/);
    expect(files.get("a/output/sim/world.txt")).toHaveLength(100);
  });

  test("500 MB of output keep the manager below 96 MiB more, and the event loop responsive", { timeout: 600_000 }, async () => {
    // What bzip2 is quick with: it is the memory of the manager that counts.
    const page = Buffer.alloc(256 * 1024);
    const pages = 2_000;
    /** By then bzip2 runs and every buffer is warm. What it compresses comes only at the very end. */
    const warm = 200;
    let before = 0;
    let highest = 0;
    async function* lazily() {
      for (let index = 0; index < pages; index++) {
        // As a host answers: not in the same turn.
        await new Promise((resolve) => setImmediate(resolve));
        if (index === warm) {
          collectGarbage();
          before = process.memoryUsage.rss();
        }
        yield page;
      }
    }
    async function* parts() {
      yield { name: "output/flood.txt", content: { size: pages * page.length, pages: lazily() } };
    }
    const archive = await Archive.open({
      folder: "f",
      parts: parts(),
      onClosed: () => {},
      onBroken: expect.unreachable,
      onDefect: expect.unreachable,
    });
    const watch = setInterval(() => {
      if (before > 0) highest = Math.max(highest, process.memoryUsage.rss());
    }, 5);
    let compressed = 0;
    for await (const piece of archive.readable()) compressed += piece.length;
    clearInterval(watch);
    expect(compressed).toBeGreaterThan(400);
    expect(before).toBeGreaterThan(0);
    expect(highest).toBeGreaterThan(0);
    expect(highest - before).toBeLessThan(96 * 1024 * 1024);
  });

  test("a client that stops reading stops the reading of outputs; one that disconnects ends bzip2", async () => {
    await using rig = await Rig.start();
    let read = 0;
    rig.control.terminals.retainedOutput = async () => {
      async function* endless() {
        for (;;) {
          read++;
          await new Promise((resolve) => setImmediate(resolve));
          yield randomBytes(65_536);
        }
      }
      return { size: 2 ** 33, pages: endless() };
    };
    const socket = connect(rig.server.port, "127.0.0.1");
    socket.write(`GET /save-all?name=a HTTP/1.1\r\nHost: ${rig.host}\r\nAuthorization: ${GOOD}\r\n\r\n`);
    await readUntil(socket, (text) => text.includes("\r\n\r\n"));
    const isOurs = (pid: number) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, "utf8").includes(` ${process.pid} `);
      } catch {
        return false; // Somebody else's, which ended while we looked.
      }
    };
    const bzip2s = () => processesWith("bzip2").filter(isOurs);
    // Until execve is over it has no words.
    await until(() => bzip2s().length === 1, 60_000, bzip2s);
    let last = -1;
    await until(
      () => {
        const isStill = read === last;
        last = read;
        return isStill;
      },
      60_000,
      () => read,
    );
    expect(read * 65_536).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
    await until(() => bzip2s().length === 0, 60_000, bzip2s);
    expect((await rig.get("/mgr/health")).status).toBe(200);
  });

  test("a log-out ends an archive in progress, and at most two are created at once", async () => {
    await using rig = await Rig.start();
    rig.control.terminals.retainedOutput = async () => {
      async function* slow() {
        await new Promise((resolve) => setTimeout(resolve, 500_000).unref());
        yield Buffer.alloc(10);
      }
      return { size: 10, pages: slow() };
    };
    const cookie = await rig.cookie();
    const [one, two] = [await rig.get("/save-all", { cookie }), await rig.get("/save-all", { cookie })];
    const third = await rig.get("/save-all", { cookie });
    expect([third.status, third.headers.get("retry-after")]).toEqual([503, "10"]);
    await rig.get("/mgr/logout", { cookie }, { method: "POST" });
    await expect(one.arrayBuffer()).rejects.toThrow();
    await expect(two.arrayBuffer()).rejects.toThrow();
    rig.control.terminals.retainedOutput = async () => outputOf("");
    expect((await unpack(rig)).size).toBeGreaterThan(3);
  });

  test("without bzip2 it is a 503 that names the package", async () => {
    await using rig = await Rig.start();
    const path = process.env.PATH;
    process.env.PATH = folder;
    try {
      const response = await rig.get("/save-all", { authorization: GOOD });
      expect([response.status, response.headers.get("content-type")]).toEqual([503, "text/plain; charset=utf-8"]);
      expect(await response.text()).toContain("Install the package bzip2");
    } finally {
      process.env.PATH = path;
    }
    expect((await unpack(rig)).size).toBeGreaterThan(3);
  });

  test("HEAD creates none; pages of other sites may not request one", async () => {
    await using rig = await Rig.start();
    const head = await rig.get("/save-all?name=x", { authorization: GOOD }, { method: "HEAD" });
    expect([head.status, head.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="x.tar.bz2"']);
    expect(rig.control.calls).toEqual([]);
    for (const site of ["cross-site", "same-site"]) {
      expect((await rig.get("/save-all", { authorization: GOOD, "sec-fetch-site": site })).status).toBe(403);
    }
  });
});

test("the name of an archive is reduced to what is safe", () => {
  expect(["a b/../c", "..hidden", "ä", "", undefined, "x".repeat(100), "a\r\nb: c"].map((hint) => archiveName(hint, "t"))).toEqual([
    "ab..c",
    "hidden",
    ...Array.from({ length: 3 }, () => expect.stringMatching(/^t-\d{8}-\d{6}$/)),
    "x".repeat(64),
    "abc",
  ]);
});

test("names of processes become distinct paths that exist side by side", () => {
  expect(["a/b", "a.txt/b", "a\\b", "50%", "grün/*", `${"💥".repeat(64)}`].map(fileNameOf)).toEqual([
    "a/b",
    "a%2Etxt/b",
    "a%5Cb",
    "50%25",
    "grün/*",
    "💥".repeat(60),
  ]);
});
