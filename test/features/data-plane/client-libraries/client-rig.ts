import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hub } from "./hub.ts";
import type { Language } from "./languages.ts";
import { Program } from "./program.ts";

export const textOf = (data: Uint8Array | undefined) => Buffer.from(data ?? []).toString();

/** A broker, and a program "arm/driver" that uses the client library of a language. */
export class ClientRig implements AsyncDisposable {
  readonly hub: Hub;
  readonly program: Program;
  readonly command: readonly string[];
  readonly #folder: string;

  private constructor(parts: { hub: Hub; program: Program; command: readonly string[]; folder: string }) {
    ({ hub: this.hub, program: this.program, command: this.command, folder: this.#folder } = parts);
  }

  static async start(language: Language): Promise<ClientRig> {
    const folder = await mkdtemp(join(tmpdir(), "mgr-client-"));
    const command = await language.command(folder);
    const hub = await Hub.start();
    return new ClientRig({ hub, command, folder, program: await Program.start(command, hub.url, "arm/driver") });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
    await this.hub[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
