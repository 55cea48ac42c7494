import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundled } from "../../../support/bundled.ts";

it("Ctrl-C in the middle of a download ends the command by the signal and leaves no file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgr-interrupted-"));
  // The first half of a file; the rest never comes.
  const server = createServer((_, response) => void response.writeHead(200, { "Content-Length": "2000" }).write("x".repeat(1_000)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const args = [await bundled("test/fixtures/save-response.ts"), `ws://127.0.0.1:${port}`, join(folder, "arm.pickle")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const exited = once(child, "exit");
  try {
    await expect.poll(() => readdirSync(folder), { timeout: 60_000 }).toEqual([`arm.pickle.${child.pid}.part`]);
    child.kill("SIGINT");
    expect(await exited).toEqual([null, "SIGINT"]);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    child.kill("SIGKILL");
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
