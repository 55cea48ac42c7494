import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OutputReader } from "../../../../src/actors/control.ts";
import { MgrError } from "../../../../src/base/errors.ts";
import { GOOD, Rig } from "../../../http/rig.ts";

let rig: Rig;
const folder = mkdtempSync(join(tmpdir(), "mgr-output-"));

beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(async () => {
  await rig?.close();
  rmSync(folder, { recursive: true });
});

const TEXT = "run one\n\x1b[32mrun two\x1b[0m\nmore\nnow\n";
/** Where the first two runs end. */
const ENDS = [8, 30];

function readerOf(text: string, changes: Partial<OutputReader> = {}): OutputReader {
  const bytes = Buffer.from(text);
  return {
    streamId: "s",
    start: 0,
    end: bytes.length,
    async *parts(from, end) {
      yield { from, data: bytes.subarray(from, end) };
    },
    ...changes,
  };
}

beforeEach(() => {
  rig.control.terminals.openOutput = async (name) => {
    if (name === "sim/eyes") throw new MgrError("host_unavailable", "host 'rt1' is away");
    if (!rig.control.process(name)) throw new MgrError("not_found", `there is no process '${name}'`);
    return readerOf(TEXT);
  };
  const detail = rig.control.processDetail.bind(rig.control);
  const run = (number: number, offset: number | null) => ({
    ...{ run_id: `1-${number}`, number, pid: 1, start_time: null, stop_time: null, code: 0, signal: null, reason: null },
    output_end: offset === null ? null : { offset, stream_id: "s" },
  });
  rig.control.state.processDetail = (name) => ({ ...detail(name), history: [run(3, null), run(2, ENDS[1] ?? 0), run(1, ENDS[0] ?? 0)] });
});

const get = (query: string, init: RequestInit = {}) => rig.get(`/mgr/output?${query}`, { authorization: GOOD }, init);

describe("GET /mgr/output", () => {
  test.each([
    ["name=sim/world", "run one\nrun two\nmore\nnow\n", 'attachment; filename="sim_world.txt"'],
    ["name=sim/world&format=raw", TEXT, 'attachment; filename="sim_world.ansi"'],
    ["name=sim/world&run=2", "run two\nmore\n", 'attachment; filename="sim_world_run_2.txt"'],
    ["name=sim/world&run=0", "now\n", 'attachment; filename="sim_world_run_3.txt"'],
    ["name=sim/world&run=-2&format=raw", "run one\n", 'attachment; filename="sim_world_run_1.ansi"'],
    ["name=sim/world&run=2&lines=1", "more\n", 'attachment; filename="sim_world_run_2.txt"'],
    ["name=sim/world&lines=2", "more\nnow\n", 'attachment; filename="sim_world.txt"'],
    ["name=sim/world&lines=100", "run one\nrun two\nmore\nnow\n", 'attachment; filename="sim_world.txt"'],
  ])("%s", async (query, text, disposition) => {
    const response = await get(query);
    expect([response.status, await response.text()]).toEqual([200, text]);
    expect(response.headers.get("content-disposition")?.split("; filename*")[0]).toBe(disposition);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["name=none", 404, "there is no process 'none'."],
    ["name=sim/world&run=9", 404, "there is no run 9 of 'sim/world'"],
    ["name=sim/eyes", 503, "host 'rt1' is away."],
    ["group=none", 404, "there is no group 'none' with processes."],
    ["group=sim/world", 404, "there is no group 'sim/world' with processes."],
    ["", 400, "Give the process or the group"],
    ["name=x&format=%1b[2J", 400, "There is no format"],
  ])("%s is refused with %d", async (query, status, text) => {
    const response = await get(query);
    expect([response.status, response.headers.get("content-type")]).toEqual([status, "text/plain; charset=utf-8"]);
    const said = await response.text();
    expect(said).toContain(text);
    expect(said).not.toContain("\x1b");
  });

  test("needs a login, and no other site can use it without one", async () => {
    expect((await rig.get("/mgr/output?name=sim/world")).status).toBe(401);
  });

  test("HEAD has the headers and reads nothing", async () => {
    rig.control.terminals.openOutput = async () => readerOf("x", { parts: () => expect.unreachable("it was read") });
    const response = await get("name=lone", { method: "HEAD" });
    expect([response.status, response.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="lone.txt"']);
  });

  test("a fourth download of a user is refused until one of the others has ended", async () => {
    rig.control.terminals.openOutput = async () =>
      readerOf("", {
        end: 2 ** 40,
        async *parts(from) {
          for (let position = from; ; position += 262_144) yield { from: position, data: Buffer.alloc(262_144, "x") };
        },
      });
    const gone = new AbortController();
    const open = [await get("name=lone", { signal: gone.signal }), await get("name=lone"), await get("name=lone")];
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await get("name=lone");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await refused.text()).toContain("3 downloads of output by this user are under way");
    gone.abort();
    rig.control.terminals.openOutput = async () => readerOf("short");
    const isAccepted = async () => (await (await get("name=lone")).text()) === "short";
    await expect.poll(isAccepted, { timeout: 60_000 }).toBe(true);
    for (const response of open.slice(1)) await response.body?.cancel();
    const allAccepted = async () => (await Promise.all([isAccepted(), isAccepted(), isAccepted()])).every(Boolean);
    await expect.poll(allAccepted, { timeout: 60_000 }).toBe(true);
  });
});

/** The files of a zip, as Python's zipfile reads them. It fails for a damaged zip. */
function unzip(bytes: Buffer): Record<string, string> {
  const path = join(folder, "a.zip");
  writeFileSync(path, bytes);
  const script =
    "import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps({n:z.read(n).decode() for n in z.namelist()}))";
  return JSON.parse(execFileSync("python3", ["-c", script, path], { encoding: "utf8", maxBuffer: 2 ** 26 })) as Record<string, string>;
}

describe("the output of a group", () => {
  test("is a zip that Python reads, with a file for each process; one that cannot be read has a note", async () => {
    const response = await get("group=sim&run=-1");
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="sim.zip"');
    expect(unzip(Buffer.from(await response.arrayBuffer()))).toEqual({
      "sim/sim/eyes.txt": "\n[mgr: host 'rt1' is away]\n",
      "sim/sim/world.txt": "run two\nmore\n",
    });
  });

  test("of all processes is named after the instance; large output is complete in it", async () => {
    const large = "0123456789abcde\n".repeat(40_000);
    rig.control.terminals.openOutput = async () => readerOf(large);
    const response = await get("group=&format=raw");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="test.zip"');
    const files = unzip(Buffer.from(await response.arrayBuffer()));
    expect(Object.keys(files).sort()).toEqual(["test/lone.ansi", "test/sim/eyes.ansi", "test/sim/world.ansi"]);
    expect(Object.values(files).every((text) => text === large)).toBe(true);
  });

  test("a client that disconnects ends the reading of its hosts", async () => {
    let isEnded = false;
    rig.control.terminals.openOutput = async () =>
      readerOf("", {
        end: 2 ** 40,
        async *parts(from) {
          try {
            for (let position = from; ; position += 262_144)
              yield { from: position, data: Buffer.alloc(262_144, Math.random().toString()) };
          } finally {
            isEnded = true;
          }
        },
      });
    const gone = new AbortController();
    const response = await get("group=sim", { signal: gone.signal });
    await response.body?.getReader().read();
    gone.abort();
    await expect.poll(() => isEnded, { timeout: 60_000 }).toBe(true);
  });
});
