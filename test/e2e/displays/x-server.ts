import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { COOKIE_BYTES, xauthorityOf } from "../../../src/features/displays/x11/xauthority.ts";

const run = promisify(execFile);

/** The X server of a desktop, without a screen. It requires a cookie. */
export class XServer implements AsyncDisposable {
  readonly environment: { DISPLAY: string; XAUTHORITY: string };
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, display: string, authority: string) {
    this.#child = child;
    this.environment = { DISPLAY: display, XAUTHORITY: authority };
  }

  /** `folder` is for its cookie. It chooses a free display. */
  static async start(folder: string): Promise<XServer> {
    const authority = join(folder, "desktop.Xauthority");
    writeFileSync(authority, xauthorityOf(randomBytes(COOKIE_BYTES)), { mode: 0o600 });
    const options = ["-displayfd", "3", "-auth", authority, "-nolisten", "tcp", "-noreset", "-screen", "0", "640x480x24"];
    const child = spawn("Xvfb", options, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const numbers = (child.stdio[3] as Readable).setEncoding("utf8");
    let number = "";
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`Xvfb ended with ${code}`);
    });
    ended.catch(() => {});
    while (!number.endsWith("\n")) {
      const [text] = (await Promise.race([once(numbers, "data"), ended])) as [string];
      number += text;
    }
    return new XServer(child, `:${number.trim()}`, authority);
  }

  /** The tree of its windows, as one of its clients sees it. */
  async windows(): Promise<string> {
    return (await run("xwininfo", ["-root", "-tree"], { env: { ...process.env, ...this.environment } })).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }
}
