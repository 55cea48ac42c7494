import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dialLocal } from "../../src/cli/manager/local-instance.ts";
import { peerUid } from "../../src/daemon/native/peer-credentials.ts";

/** Only root may start programs of another user; others start one of their own. */
const OTHER = process.geteuid?.() === 0 ? 65_534 : (process.geteuid?.() ?? 0);
const CONNECT = "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.stdin.read()";
const LISTEN = `import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); print("listening", flush=True)
s.accept()[0].recv(100); sys.stdin.read()`;

let folder: string;
let path: string;
let child: ChildProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync("/tmp/mgr-local-");
  chmodSync(folder, 0o777);
  path = join(folder, "control.sock");
});
afterEach(async () => {
  vi.restoreAllMocks();
  if (child !== null) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  child = null;
  rmSync(folder, { recursive: true });
});

function python(program: string): ChildProcess {
  child = spawn("/usr/bin/python3", ["-c", program, path], { uid: OTHER, stdio: ["pipe", "pipe", "inherit"] });
  return child;
}

test("the kernel names the user of the client and of the server", async () => {
  const server = createServer().listen(path);
  await once(server, "listening");
  chmodSync(path, 0o666);
  const mine = dialLocal(path);
  const [[accepted]] = (await Promise.all([once(server, "connection"), once(mine, "connect")])) as [[Socket], unknown];
  expect([peerUid(accepted), peerUid(mine)]).toEqual([process.geteuid?.(), process.geteuid?.()]);
  python(CONNECT);
  const [foreign] = (await once(server, "connection")) as [Socket];
  expect(peerUid(foreign)).toBe(OTHER);
  for (const socket of [mine, accepted, foreign]) socket.destroy();
  expect(peerUid(mine)).toBeNull();
  server.close();
  await once(server, "close");
});

test("a program of another user that listens in the manager's place is sent nothing", async () => {
  const { stdout } = python(LISTEN);
  if (stdout !== null) await once(stdout, "data");
  vi.spyOn(process, "geteuid").mockReturnValue(OTHER + 1);
  const socket = dialLocal(path);
  socket.write("secret");
  await expect(once(socket, "close")).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining(`uid ${OTHER}`) });
  expect(socket.bytesWritten).toBe(0);
});

test("root talks to every user's manager", async () => {
  const { stdout } = python(LISTEN);
  if (stdout !== null) await once(stdout, "data");
  vi.spyOn(process, "geteuid").mockReturnValue(0);
  const socket = dialLocal(path);
  await once(socket, "connect");
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});
