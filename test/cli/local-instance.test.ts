import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dialKernelChecked } from "../../src/cli/manager/kernel-checked-dial.ts";
import { dialerOf } from "../../src/cli/manager/local-instance.ts";
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

test("the kernel reports the user of the client and of the server", async () => {
  const server = createServer().listen(path);
  await once(server, "listening");
  chmodSync(path, 0o666);
  const mine = dialKernelChecked(path);
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

test("nothing is sent to a program of another user that listens in place of the manager", async () => {
  const { stdout } = python(LISTEN);
  if (stdout !== null) await once(stdout, "data");
  vi.spyOn(process, "geteuid").mockReturnValue(OTHER + 1);
  const socket = dialKernelChecked(path);
  socket.write("secret");
  await expect(once(socket, "close")).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining(`uid ${OTHER}`) });
  expect(socket.bytesWritten).toBe(0);
});

test("root can command the manager of every user", async () => {
  const { stdout } = python(LISTEN);
  if (stdout !== null) await once(stdout, "data");
  vi.spyOn(process, "geteuid").mockReturnValue(0);
  const socket = dialKernelChecked(path);
  await once(socket, "connect");
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});

describe("who can listen in a folder", () => {
  test("a manager in a folder of this user alone is reached without checking its user with the kernel", async () => {
    const server = createServer().listen(path);
    await once(server, "listening");
    chmodSync(folder, 0o700);
    const dial = await dialerOf(path);
    const mine = dial();
    const [accepted] = (await once(server, "connection")) as [Socket];
    accepted.end("answer");
    const [bytes] = (await once(mine, "data")) as [Buffer];
    expect(bytes.toString()).toBe("answer");
    for (const socket of [mine, accepted]) socket.destroy();
    server.close();
    await once(server, "close");
  });

  test("in a folder that is replaced or opened to others after the check, nothing is connected", async () => {
    chmodSync(folder, 0o700);
    const dial = await dialerOf(path);
    chmodSync(folder, 0o777);
    expect(dial).toThrow(expect.objectContaining({ code: "forbidden", message: expect.stringContaining(folder) }));
    rmSync(folder, { recursive: true });
    symlinkSync("/tmp", folder);
    expect(dial).toThrow(expect.objectContaining({ code: "forbidden" }));
  });

  test("in a folder of another user, and in one that others may write to, the kernel is asked", async () => {
    const { stdout } = python(LISTEN);
    if (stdout !== null) await once(stdout, "data");
    chmodSync(folder, 0o700);
    vi.spyOn(process, "geteuid").mockReturnValue(OTHER + 1);
    const dials = [await dialerOf(path)];
    vi.restoreAllMocks();
    chmodSync(folder, 0o777);
    dials.push(await dialerOf(path));
    vi.spyOn(process, "geteuid").mockReturnValue(OTHER + 1);
    for (const dial of dials)
      await expect(once(dial(), "close")).rejects.toMatchObject({ message: expect.stringContaining(`uid ${OTHER}`) });
  });
});
