import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { GOOD, type Rig } from "./rig.ts";

/** Downloads the archive, unpacks it with the system's tar, and gives its files by path. */
export async function unpack(rig: Rig, query = ""): Promise<Map<string, string>> {
  const response = await rig.get(`/save-all${query}`, { authorization: GOOD });
  expect(response.status).toBe(200);
  const into = mkdtempSync(join(tmpdir(), "mgr-unpacked-"));
  try {
    writeFileSync(join(into, "a.tar.bz2"), Buffer.from(await response.arrayBuffer()));
    execFileSync("tar", ["xjf", "a.tar.bz2"], { cwd: into });
    rmSync(join(into, "a.tar.bz2"));
    const files = new Map<string, string>();
    for (const entry of readdirSync(into, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.set(path.slice(into.length + 1), readFileSync(path, "utf8"));
    }
    return files;
  } finally {
    rmSync(into, { recursive: true });
  }
}
