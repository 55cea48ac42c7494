import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADMIN_GRANTS } from "../../../src/base/access/access.ts";
import type { ObservedCommand } from "../../../src/base/command-observer.ts";
import { parseJson } from "../../../src/base/json.ts";
import { type Clock, systemClock } from "../../../src/base/timing/clock.ts";
import type { AuditSettings } from "../../../src/features/audit/config.ts";
import { ManagerAudit, type ManagerAuditOptions } from "../../../src/features/audit/manager/manager-audit.ts";
import { openTrailEnd } from "../../../src/features/audit/manager/trail-opening.ts";
import { trailFiles, trailPath } from "../../../src/features/audit/trail/files.ts";

export const SETTINGS: AuditSettings = {
  enabled: true,
  required: false,
  terminal_input: false,
  max_size: 16 * 1024 * 1024,
  max_files: 16,
  syslog: null,
};

export const command = (name: string, rest: Partial<ObservedCommand> = {}): ObservedCommand => ({
  name,
  sender: { user: "ada", via: "cookie", address: "10.0.0.9:4711", grants: ADMIN_GRANTS },
  client: "browser",
  requestId: null,
  target: null,
  args: {},
  secrets: [],
  ...rest,
});

/** Waits longer for the disk: no test of these folders is about a slow one. */
export const patientClock: Clock = {
  ...systemClock,
  setTimeout: (callback, milliseconds) =>
    systemClock.setTimeout(callback, milliseconds < 1_000 ? milliseconds : Math.max(milliseconds, 60_000)),
};

/** Folders of audits, one after the other of which are managers of the same state folder. */
export class AuditRig implements AsyncDisposable {
  readonly folder = join(mkdtempSync(join(tmpdir(), "mgr-audit-")), "audit");
  settings = SETTINGS;
  readonly logged: string[] = [];
  readonly #open: ManagerAudit[] = [];

  async start(options: Partial<ManagerAuditOptions> = {}): Promise<ManagerAudit> {
    const log = (msg: string) => void this.logged.push(msg);
    const audit = new ManagerAudit({
      clock: patientClock,
      log: { error: log, warn: log, info: log } as unknown as ManagerAuditOptions["log"],
      folder: this.folder,
      end: await openTrailEnd(this.folder),
      settings: () => this.settings,
      instance: "bench",
      ...options,
    });
    this.#open.push(audit);
    return audit;
  }

  files(): Promise<number[]> {
    return trailFiles(this.folder);
  }

  path(file: number): string {
    return trailPath(this.folder, file);
  }

  lines(file = 1): string[] {
    return readFileSync(this.path(file), "utf8").split("\n").slice(0, -1);
  }

  /** The records of a file, without seals and times. */
  records(file = 1): Record<string, unknown>[] {
    // Cut lines are left out.
    return this.lines(file).flatMap((line): Record<string, unknown>[] => {
      if (parseJson(line) === undefined) return [];
      const { mac: _mac, time: _time, ...record } = JSON.parse(line) as Record<string, unknown>;
      return [record];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#open.map((audit) => audit.close()));
    rmSync(join(this.folder, ".."), { recursive: true, force: true });
  }
}

/** Gives a command, and ends it as accepted. */
export async function give(audit: ManagerAudit, name: string, rest: Partial<ObservedCommand> = {}): Promise<void> {
  const end = await audit.observer.before(command(name, rest));
  end({ ok: true });
}
