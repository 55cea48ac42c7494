import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileFacts, readEditable, replaceFile } from "../../src/config/edit-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgr-edit-"));
  path = join(folder, "mgr.yaml");
  await writeFile(path, "old\n");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("replaceFile", () => {
  it("replaces the whole file and keeps its mode, and leaves nothing else behind", async () => {
    await chmod(path, 0o640);
    const { hash } = await readEditable(path);
    const saved = await replaceFile(path, "new ü\n", hash);
    expect(await readFile(path, "utf8")).toBe("new ü\n");
    expect((await stat(path)).mode & 0o7777).toBe(0o640);
    expect(await readEditable(path)).toEqual(saved);
    expect(await readdir(folder)).toEqual(["mgr.yaml"]);
  });

  it("is a new file: readers of the old one see no part of the new one", async () => {
    const before = (await stat(path)).ino;
    await replaceFile(path, "new\n", undefined);
    expect((await stat(path)).ino).not.toBe(before);
  });

  it("refuses to overwrite a text that has changed since it was read", async () => {
    const { hash } = await readEditable(path);
    await writeFile(path, "theirs\n");
    await expect(replaceFile(path, "mine\n", hash)).rejects.toMatchObject({ code: "conflict" });
    expect(await readFile(path, "utf8")).toBe("theirs\n");
  });

  it("follows no link, and no link that was put beside the file", async () => {
    const target = join(folder, "target");
    await writeFile(target, "precious");
    const link = join(folder, "link.yaml");
    await symlink(target, link);
    await expect(replaceFile(link, "x", undefined)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("is a symbolic link"),
    });
    expect(await readFile(target, "utf8")).toBe("precious");
    await expect(replaceFile(folder, "x", undefined)).rejects.toMatchObject({ code: "forbidden" });
    await expect(replaceFile(join(folder, "none"), "x", undefined)).rejects.toMatchObject({ code: "not_found" });
  });

  it("accepts a mebibyte of bytes and no more", async () => {
    await replaceFile(path, "x".repeat(1_048_576), undefined);
    await expect(replaceFile(path, `${"x".repeat(1_048_575)}ü`, undefined)).rejects.toMatchObject({ code: "too_large" });
  });
});

describe("readEditable", () => {
  it("refuses what is too large, is not text, or is not a file", async () => {
    await writeFile(path, "x".repeat(1_048_577));
    await expect(readEditable(path)).rejects.toMatchObject({ code: "too_large" });
    await writeFile(path, Buffer.from([0xff]));
    await expect(readEditable(path)).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("is not UTF-8") });
    await expect(readEditable(folder)).rejects.toMatchObject({ code: "forbidden" });
    await expect(readEditable(join(folder, "none"))).rejects.toMatchObject({ code: "not_found" });
  });

  it("keeps a byte order mark, so that saving the same text changes nothing", async () => {
    await writeFile(path, "\uFEFFa: 1\n");
    const { content, hash } = await readEditable(path);
    expect((await replaceFile(path, content, hash)).hash).toBe(hash);
  });
});

describe("fileFacts", () => {
  it("says how large a file is and whether it could be saved", async () => {
    expect(await fileFacts(path)).toEqual({ size: 4, writable: true });
    const link = join(folder, "link.yaml");
    await symlink(path, link);
    expect(await fileFacts(link)).toEqual({ size: 4, writable: false });
    expect(await fileFacts(join(folder, "none"))).toBeNull();
  });
});
