import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigHistory, type KeptVersion, memoryVersions } from "../../../src/app/state/config-history.ts";
import { openConfigHistory } from "../../../src/app/state/config-versions.ts";
import { hashOf } from "../../../src/config/edit-file.ts";
import { LogBook } from "../../../src/log/log-book.ts";

const log = () => new LogBook({ capacity: 10, now: () => 0, lastId: 0 });
const MIB = 1024 * 1024;

describe("versions of configuration files", () => {
  test("are listed newest first, each file for itself, without repeats in a row", async () => {
    const history = new ConfigHistory();
    for (const [at, text] of ["a", "a", "b", "a"].entries()) await history.note("/x.yaml", text, at === 2 ? "ada" : null, at);
    await history.note("/y.yaml", "other", null, 9);
    expect(history.of("/x.yaml")).toEqual([
      { hash: hashOf("a"), time: 3, by: null, size: 1 },
      { hash: hashOf("b"), time: 2, by: "ada", size: 1 },
      { hash: hashOf("a"), time: 0, by: null, size: 1 },
    ]);
    expect(await history.text("/x.yaml", hashOf("b"))).toBe("b");
    await expect(history.text("/x.yaml", hashOf("other"))).rejects.toMatchObject({ code: "not_found" });
  });

  test("are bounded: 30 of a file, 16 MiB of all, none above 1 MiB; texts that no version has are removed", async () => {
    const kept = new Map<string, string>();
    let list: readonly KeptVersion[] = [];
    const store = {
      ...memoryVersions(),
      write: async (hash: string, content: string) => void kept.set(hash, content),
      remove: async (hash: string) => void kept.delete(hash),
      saveList: async (versions: readonly KeptVersion[]) => {
        list = versions;
      },
    };
    const history = new ConfigHistory(store);
    for (let at = 0; at < 50; at++) await history.note("/x.yaml", `text ${at}`, null, at);
    expect(history.of("/x.yaml").map(({ time }) => time)).toEqual(Array.from({ length: 30 }, (_, index) => 49 - index));
    for (let at = 0; at < 20; at++) await history.note("/large.yaml", `${at}`.padEnd(MIB, "x"), null, 100 + at);
    await history.note("/large.yaml", "x".repeat(MIB + 1), null, 200);
    expect(history.of("/large.yaml").map(({ time }) => time)).toEqual(Array.from({ length: 16 }, (_, index) => 119 - index));
    expect([...kept.keys()].sort()).toEqual([...new Set(list.map(({ hash }) => hash))].sort());
  });
});

describe("versions in the state folder", () => {
  test("are there for the next manager, readable by their owner only", async () => {
    const dir = join(await mkdtemp(join(tmpdir(), "mgr-versions-")), "config-versions");
    try {
      const first = await openConfigHistory(dir, log());
      await first.note("/x.yaml", "größe: 5\n", "ada", 7);
      expect((await stat(dir)).mode & 0o777).toBe(0o700);
      for (const name of await readdir(dir)) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
      // Left by a manager that was killed before it saved the list.
      await writeFile(join(dir, "f".repeat(64)), "no version");
      const next = await openConfigHistory(dir, log());
      expect(next.of("/x.yaml")).toEqual(first.of("/x.yaml"));
      expect(await next.text("/x.yaml", hashOf("größe: 5\n"))).toBe("größe: 5\n");
      expect(await readdir(dir)).not.toContain("f".repeat(64));
      // Removed meanwhile: made again.
      await rm(dir, { recursive: true });
      await next.note("/x.yaml", "new", null, 8);
      await expect(next.text("/x.yaml", hashOf("größe: 5\n"))).rejects.toMatchObject({ code: "not_found" });
      // A list that cannot be read is replaced by an empty one.
      await writeFile(join(dir, "versions.json"), "{");
      expect((await openConfigHistory(dir, log())).of("/x.yaml")).toEqual([]);
    } finally {
      await rm(join(dir, ".."), { recursive: true, force: true });
    }
  });

  test("that cannot be kept there are kept in memory, which is logged", async () => {
    const book = log();
    const history = await openConfigHistory("/dev/null/versions", book);
    await history.note("/x.yaml", "text", null, 1);
    expect(await history.text("/x.yaml", hashOf("text"))).toBe("text");
    expect(book.entries({ level: "warning", limit: 10 }).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^earlier versions of the configuration are not saved: /),
    ]);
  });
});
