import { describe, expect, test, vi } from "vitest";
import { DownloadLimits } from "../../../../src/features/output-runs/manager/download-limits.ts";
import { downloadQuery } from "../../../../src/features/output-runs/manager/download-query.ts";
import { downloadStream } from "../../../../src/features/output-runs/manager/download-stream.ts";
import { ZipPaths } from "../../../../src/features/output-runs/manager/output-zip.ts";
import type { RouteContext } from "../../../../src/http/route.ts";
import { Followers } from "../../../../src/http/server/open-connections.ts";

describe("limits of downloads", () => {
  test("hold for each user and for all together, until a download ends", () => {
    const limits = new DownloadLimits({ ofUser: 2, inAll: 3 });
    const end = limits.begin("ann");
    limits.begin("ann");
    expect(() => limits.begin("ann")).toThrow("2 downloads of output by this user are under way");
    limits.begin("bob");
    expect(() => limits.begin("carl")).toThrow("3 downloads of output are under way");
    end();
    // Again: it counts once.
    end();
    limits.begin("carl");
    expect(() => limits.begin("ann")).toThrow("3 downloads of output are under way");
  });
});

describe("the query of a download", () => {
  test.each([
    ["name=sim/world", { target: { kind: "process", name: "sim/world" }, format: "text", run: null, lines: null }],
    ["name=a&run=-1&format=raw&lines=200", { target: { kind: "process", name: "a" }, format: "raw", run: -1, lines: 200 }],
    ["group=&run=0", { target: { kind: "group", name: "" }, format: "text", run: 0, lines: null }],
  ])("%s", (query, expected) => {
    expect(downloadQuery(new URLSearchParams(query))).toEqual(expected);
  });

  test.each([
    "",
    "name=",
    "name=a&group=b",
    "name=a&format=zip",
    "name=a&format=__proto__",
    "name=a&run=x",
    "name=a&run=1e3",
    "name=a&run=",
  ])("%s is refused", (query) => expect(downloadQuery(new URLSearchParams(query))).toEqual(expect.any(String)));
  test.each(["name=a&lines=0", "name=a&lines=10001", "group=a&run=3", "group=a&lines=3", `name=a&run=${"9".repeat(400)}`])(
    "%s is refused",
    (query) => expect(downloadQuery(new URLSearchParams(query))).toEqual(expect.any(String)),
  );
});

describe("paths in a zip", () => {
  const paths = (names: string[], folder = "sim") => {
    const made = new ZipPaths(folder, ".txt");
    return names.map((name) => made.of(name));
  };

  test("are folders as the names have them", () => {
    expect(paths(["sim/world", "lone"])).toEqual(["sim/sim/world.txt", "sim/lone.txt"]);
  });

  test("never lead out of the zip, and have no character that a file system or terminal acts on", () => {
    const made = paths(["../../etc/passwd", "/root", "a/../b", "C:\\x", "a\u001b[2J", "..", "", "con. ", "\ud800"], "../..");
    for (const path of made) {
      expect(path.split("/")).not.toContain("..");
      expect(path.split("/")).not.toContain("");
      expect(path).toMatch(/^[^\\:*?"<>|\p{C}]+\.txt$/u);
    }
    expect(new Set(made).size).toBe(made.length);
  });

  test("are unique where names differ in case, or in the end of a long name, or where a folder has the name of a file", () => {
    const long = "x".repeat(250);
    const made = paths(["World", "world", `${long}1`, `${long}2`, "a.txt/b", "a", "a.TXT/c"]);
    expect(new Set(made.map((path) => path.toLowerCase())).size).toBe(made.length);
    const files = new Set(made.map((path) => path.toLowerCase()));
    for (const path of made) {
      const folders = path.toLowerCase().split("/").slice(0, -1);
      for (const index of folders.keys()) expect(files.has(folders.slice(0, index + 1).join("/")), path).toBe(false);
    }
  });
});

describe("the body of a download", () => {
  function bodyOf(bytes: AsyncGenerator<Uint8Array>, maxStallMs = 60_000) {
    const disconnect = vi.fn();
    const onEnd = vi.fn();
    const onDefect = vi.fn();
    const followers = new Followers();
    const context = {
      get: () => ({ principal: { user: "ann" }, sessionId: "s" }),
      env: { disconnect },
      req: { raw: { signal: new AbortController().signal } },
    } as unknown as RouteContext;
    const body = downloadStream({ context, followers, bytes, onEnd, onDefect, maxStallMs }).getReader();
    return { body, disconnect, onEnd, onDefect, followers };
  }

  /** Counts what was requested of it, and whether it was ended. */
  function endless() {
    const counts = { given: 0, isEnded: false };
    async function* bytes() {
      try {
        for (;;) {
          counts.given++;
          yield new Uint8Array(1_000);
        }
      } finally {
        counts.isEnded = true;
      }
    }
    return { counts, bytes: bytes() };
  }

  test("requests a piece only when the client has taken the one before", async () => {
    const { counts, bytes } = endless();
    const { body } = bodyOf(bytes);
    expect(counts.given).toBe(0);
    await body.read();
    await body.read();
    expect(counts.given).toBe(2);
    await body.cancel();
    await expect.poll(() => counts.isEnded).toBe(true);
  });

  test("a client that takes nothing for too long is disconnected, and its source is ended", async () => {
    const { counts, bytes } = endless();
    const { body, disconnect, onEnd } = bodyOf(bytes, 1);
    await body.read();
    await expect.poll(() => disconnect).toHaveBeenCalledOnce();
    await expect.poll(() => counts.isEnded).toBe(true);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  test("ends with the login of its user", async () => {
    const { counts, bytes } = endless();
    const { body, disconnect, followers } = bodyOf(bytes);
    await body.read();
    followers.end(({ principal }) => principal?.user === "ann");
    expect(disconnect).toHaveBeenCalledOnce();
    await expect.poll(() => counts.isEnded).toBe(true);
  });

  test("a defect is reported, and breaks the connection", async () => {
    const { body, disconnect, onDefect } = bodyOf(
      (async function* () {
        yield new Uint8Array(1);
        throw new Error("defect");
      })(),
    );
    await body.read();
    void body.read();
    await expect.poll(() => disconnect).toHaveBeenCalledOnce();
    expect(onDefect).toHaveBeenCalledWith(expect.objectContaining({ message: "defect" }));
  });
});
