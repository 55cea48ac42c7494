import type { Greeting } from "../../actors/host-machine.ts";
import type { Config } from "../../config/definition.ts";
import type { RunReport } from "../../contract/run.ts";
import type { HostEntry } from "../../protocol/resources/resources.ts";

/** The processes of a manager as its hosts see them. */
export interface HostedProcesses {
  readonly config: Config;
  isHostReady(host: string): boolean;
  hostState(host: string): { state: HostEntry["state"]; greeting: Greeting | null };
  /** Canonical name of the host that `name` runs on, or would run on; null if there is no such process. */
  hostOf(name: string): string | null;
  /** Processes that run on `host`, or would run there, in the order of the configuration. */
  namesAt(host: string): string[];
  /** Whether a report from `host` applies to `name`. */
  concerns(name: string, host: string): boolean;
  /** Records that `name` was expected on another host, but lives on `host`. */
  foundAt(name: string, host: string): void;
  /** Whether no host has reported yet if `name` runs. */
  isUnknown(name: string): boolean;
  /** Whether nothing of `name` is alive or about to be, according to its host. */
  isGone(name: string): boolean;
  /** Records the checks of a run, as its host reports them. */
  noteChecks(run: Pick<RunReport, "name" | "run_id" | "checks">): void;
}
