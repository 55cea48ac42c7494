import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { eventually } from "./wait.ts";

const ROOTFS = fileURLToPath(new URL("../../../scripts/package/rootfs.js", import.meta.url));
/** A minimal Debian as a tar. Making it takes 20 s of processor time, so it is kept for later runs, outside of the checkout. */
const BASE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "mgr-tests", "debian-bookworm-minbase.tar");
/**
 * What runs in the root: in namespaces of its own, so that nothing of it is left when `unshare` has ended. $1 is the root, $2 the script.
 * Mounting needs root, as the tests of other machines do.
 */
const ENTER = `mount -t proc proc "$1/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
exec chroot "$1" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -euc "$2"`;
const run = promisify(execFile);
/** An archive is unpacked and a package is installed in this time, on a slow machine too. */
const PRINTED_MS = 600_000;

/** A Debian system with nothing but its base, in a folder that is removed at the end. It shares the network with this machine. */
export class DebianRoot implements AsyncDisposable {
  readonly folder: string;
  readonly #scripts: Script[] = [];

  /** With the program of an archive as in the image of a container, or only with what Debian's base has. */
  static async make(folder: string, archive?: string): Promise<DebianRoot> {
    const program = archive === undefined ? [] : ["--archive", archive];
    await run(process.execPath, [ROOTFS, ...program, "--folder", folder, "--base", BASE]);
    return new DebianRoot(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  start(script: string): Script {
    const started = new Script(this.folder, script);
    this.#scripts.push(started);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#scripts.map((script) => script.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A shell script in the root; what it starts ends with it. */
class Script {
  readonly ended: Promise<string>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<unknown[]>;
  #output = "";

  constructor(root: string, script: string) {
    this.#child = spawn("unshare", ["--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", ENTER, "sh", root, script]);
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    this.#closed = once(this.#child, "close");
    this.ended = this.#closed.then(([code, signal]) => {
      if (code !== 0) throw new Error(`the script ended with ${signal ?? code}:\n${this.#output}`);
      return this.#output;
    });
    this.ended.catch(() => {});
  }

  /** Waits until it has printed something that matches. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const found = eventually(`the script prints ${pattern}`, () => pattern.exec(this.#output), PRINTED_MS);
    return Promise.race([found, this.ended.then(() => Promise.reject(new Error(`the script ended without ${pattern}:\n${this.#output}`)))]);
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Sends SIGTERM to the first process in the root, as the end of a container does. */
  async end(): Promise<void> {
    const { stdout } = await run("ps", ["--no-headers", "-o", "pid", "--ppid", String(this.#child.pid)]);
    process.kill(Number(stdout), "SIGTERM");
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }
}
