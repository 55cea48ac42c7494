import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
// @ts-expect-error: JavaScript without types.
import { hashOf } from "../../scripts/build/input-hash.js";
// @ts-expect-error: JavaScript without types.
import { welcomeText, windowHint } from "../../scripts/demo-login.js";

test("npm start rebuilds what changed in name or content, and nothing for a new modification time", () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-build-"));
  try {
    mkdirSync(join(folder, "src/deep"), { recursive: true });
    const file = join(folder, "src/deep/a.ts");
    writeFileSync(file, "1");
    const hashes = [hashOf([join(folder, "src")])];
    const next = () => hashes.push(hashOf([join(folder, "src")]));
    utimesSync(file, 1, 1);
    next();
    expect(new Set(hashes).size).toBe(1);
    writeFileSync(file, "2");
    next();
    renameSync(file, join(folder, "src/deep/b.ts"));
    next();
    writeFileSync(join(folder, "src/c.ts"), "");
    next();
    expect(new Set(hashes).size).toBe(4);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("npm start prints the credentials last", () => {
  const text = welcomeText({ url: "http://localhost:8130/", user: "demo", password: "secret", pid: 7, mgr: (command: string) => command });
  expect(text.trim().split("\n").slice(-3)).toEqual(["  Page:      http://localhost:8130/", "  User:      demo", "  Password:  secret"]);
});

test("npm start reports how to see the graphical program, or which packages it needs", () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-programs-"));
  try {
    expect(windowHint(folder)).toMatch(/: sudo apt-get install tigervnc-standalone-server openbox x11-apps$/);
    for (const program of ["Xvnc", "openbox", "xclock"]) {
      expect(windowHint(folder)).toContain("sudo apt-get install");
      writeFileSync(join(folder, program), "", { mode: 0o755 });
    }
    expect(windowHint(`/no/such/folder:${folder}`)).toMatch(/^Start gui\/clock on the page/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
