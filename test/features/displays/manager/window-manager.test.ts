import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freeDisplay } from "../../../../src/features/displays/host/display-numbers.ts";
import { hasWindowManager } from "../../../../src/features/displays/manager/window-manager.ts";
import { xauthorityOf } from "../../../../src/features/displays/x11/xauthority.ts";

// Against a real X server and a real window manager.

const folder = mkdtempSync(join(tmpdir(), "mgr-wm-"));
const file = join(folder, "Xauthority");
const children: ChildProcess[] = [];
let display: number;

function start(program: string, words: string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(program, words, { env, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  children.push(child);
  return child;
}

beforeAll(async () => {
  writeFileSync(file, xauthorityOf(new Uint8Array(16).fill(7)), { mode: 0o600 });
  display = (await freeDisplay(new Set(), folder)) ?? 0;
  // Without -noreset it begins again when its last client goes, which would end a window manager that connects at that moment.
  const server = start("Xvfb", [
    `:${display}`,
    "-displayfd",
    "3",
    "-auth",
    file,
    "-nolisten",
    "tcp",
    "-noreset",
    "-screen",
    "0",
    "320x240x24",
  ]);
  await once(server.stdio[3] as NodeJS.ReadableStream, "data");
});
afterAll(async () => {
  for (const child of children.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true });
});

test("a window manager is detected once it has set its property on the root window, for clients with the cookie", async () => {
  expect(await hasWindowManager({ display: `:${display}`, authority: file })).toBe(false);
  start("openbox", [], { ...process.env, DISPLAY: `:${display}`, XAUTHORITY: file });
  await expect.poll(() => hasWindowManager({ display: `:${display}`, authority: file }), { timeout: 60_000, interval: 20 }).toBe(true);
  const other = join(folder, "another cookie");
  writeFileSync(other, xauthorityOf(new Uint8Array(16).fill(8)));
  expect(await hasWindowManager({ display: `:${display}`, authority: other })).toBe(false);
});

test("no window manager is detected on a display that does not exist", async () => {
  expect(await hasWindowManager({ display: ":59535", authority: file })).toBe(false);
});
