import { closeSync, constants } from "node:fs";
import { join } from "node:path";
import type { RunningManager } from "../../../app/manager.ts";
import { diskFull, isDiskFull, messageOf } from "../../../base/errors.ts";
import { openStateFile } from "../../../files/state-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { profileArguments } from "../../manager/configuration.ts";
import type { UpFlags } from "./up-flags.ts";

/** Set for the manager that `mgr up --detach` starts in the background. */
export const DETACHED = "MGR_DETACHED";

/** Options that a manager in the background has of the command that starts it. */
type ManagerFlags = Readonly<Pick<UpFlags, "config" | "trustConfig">> & { readonly profile?: readonly string[] };

/** A detached manager serves. */
export interface ServedReport extends Pick<RunningManager, "url" | "hostProblem" | "loginProblem"> {
  readonly kind: "served";
  readonly name: string;
  readonly profiles: readonly string[];
}

/** Messages of a detached manager to the command that started it: `running` alone, or `begun` and later `served`. */
export type DetachedReport =
  /** A manager already runs with this configuration, so this one ends. */
  | { readonly kind: "running" }
  /** The manager's errors are written to this file from now on. */
  | { readonly kind: "begun"; readonly errors: string }
  | ServedReport;

/** Sends the last report. Nothing happens if nothing waits for it (any more). */
export function endReports(report: DetachedReport): void {
  send(report);
  if (process.connected) process.disconnect();
}

function send(report: DetachedReport): void {
  if (process.connected) process.send?.(report);
}

/**
 * Moves the standard error of this program from the command that started it to a file in the state folder, which is known only now. Both are one
 * descriptor, so that errors of Node itself go there as well.
 */
export async function moveErrors(stateDir: string): Promise<void> {
  const errors = join(stateDir, "manager.stderr");
  const fd = openErrors(stateDir, errors);
  try {
    const { replaceDescriptor } = await import("../../../daemon/native/libc.ts");
    replaceDescriptor(process.stderr.fd, fd);
  } finally {
    closeSync(fd);
  }
  send({ kind: "begun", errors });
}

/** Arguments of Node for a manager in the background. */
export function upCommand({ config, trustConfig, profile }: ManagerFlags): string[] {
  return [
    process.argv[1] ?? "",
    "up",
    ...(config === undefined ? [] : ["-c", config]),
    ...(trustConfig ? ["--trust-config"] : []),
    ...profileArguments(profile),
  ];
}

/** The profiles in the line that says that the manager is up. */
export function withProfiles(profiles: readonly string[]): string {
  return profiles.length === 0 ? "" : ` with the ${profiles.length === 1 ? "profile" : "profiles"} ${profiles.join(", ")}`;
}

export function openEmpty(path: string): number {
  return openStateFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
}

function openErrors(stateDir: string, path: string): number {
  try {
    makeStateFolder(stateDir);
    return openEmpty(path);
  } catch (error) {
    throw isDiskFull(error) ? new CommandFailure(EXIT.failed, messageOf(diskFull(stateDir, error))) : error;
  }
}
