import type { HandedOver } from "../base/handed-over.ts";
import type { Clock } from "../base/timing/clock.ts";
import type { HostLog } from "../contract/messages.ts";
import type { HostBus } from "./bus/host-bus.ts";
import type { HostFolders, ReplaceProgram } from "./host-feature.ts";
import type { KeptOutputOptions } from "./output/kept/kept-output.ts";
import type { KeptRequests } from "./supervision/kept-requests.ts";
import type { RunCgroups } from "./tree/cgroups.ts";
import type { TreeReaper } from "./tree/tree-reaper.ts";

export interface HostOptions {
  /** Canonical name of the host. */
  host: string;
  clock?: Clock;
  /** Whether this process is a child subreaper: the standalone daemon is, an embedding program never. */
  subreaper: boolean;
  /** Receives the host's own log lines, besides its listeners. */
  log: (entry: HostLog) => void;
  /** Maximum memory for the output of all processes, bytes. */
  ringBudget?: number;
  /** Whether the manager is in this process (`HostLink.isDirect`). */
  isDirect?: boolean;
  /** Identifies this lifetime of the host; generated if left out. */
  streamId?: string;
  /** Version of the program, for managers to show. */
  version?: string;
  /** Kills process trees; created from `subreaper` if left out. */
  killTree?: TreeReaper;
  /** The cgroups of the runs; none if left out. */
  cgroups?: Pick<RunCgroups, "folderOf">;
  /** The broker of this host, whose address runs get in MGR_BUS_URL; its owner closes it. None if left out. */
  bus?: HostBus;
  /** Folders that keep output for the next daemon; output is not kept if left out. */
  keptOutput?: KeptOutputOptions;
  /** State of the host and its features from the program that this one replaces, by name. */
  taken?: Readonly<Record<string, HandedOver>> | undefined;
  /** Replaces the program of the daemon; left out: the host is part of another program. */
  replaceProgram?: ReplaceProgram;
  /** Folders for features; nothing is kept if left out. */
  folders?: HostFolders;
  /** The requested states, kept for the daemon after the next boot; nothing is kept if left out. */
  requests?: KeptRequests;
}
