import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MgrError } from "../../../base/errors.ts";
import { quoteWords } from "../../../base/text/shell-words.ts";
import type { Config, ProcessDefinition } from "../../../config/definition.ts";
import { resolveProcessParts } from "../../../config/features.ts";
import { PROCESS_DEFAULTS } from "../../../config/schema/schema-process.ts";
import { isOnPath } from "../../../config/start-tools.ts";
import { makePrivate } from "../../../daemon/session/sockets.ts";
import type { DisplaySettings } from "../config.ts";
import { COOKIE_BYTES, xauthorityOf } from "../x11/xauthority.ts";
import type { DisplayRecord } from "./display-records.ts";
import { displayProcessOf } from "./display-user.ts";

const SERVER = "Xvnc";
/** The package whose server has options for unix sockets. */
const SERVER_PACKAGE = "tigervnc-standalone-server";
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

export const socketOf = ({ folder }: Pick<DisplayRecord, "folder">): string => join(folder, "rfb.sock");
export const authorityOf = ({ folder }: Pick<DisplayRecord, "folder">): string => join(folder, "Xauthority");

/** Throws if the X server program for private displays is not installed. */
export function requireServer(path = process.env.PATH): void {
  if (isOnPath(SERVER, path ?? "")) return;
  throw new MgrError(
    "conflict",
    `no X server program: '${SERVER}' of TigerVNC is not on the manager's PATH. Install it, for example: sudo apt-get install ${SERVER_PACKAGE}`,
  );
}

/** Makes the display's folder (0700) with the cookie file (0600) if they are missing. */
export function prepareFolder(record: DisplayRecord): void {
  makePrivate(record.folder);
  const file = authorityOf(record);
  if (existsSync(file) && readFileSync(file).length > 0) return;
  writeFileSync(file, xauthorityOf(randomBytes(COOKIE_BYTES)), { mode: 0o600 });
}

/**
 * The process of a private display. It is ready when Xvnc reports on its -displayfd that clients can connect. The window manager is restarted when
 * it ends, because windows cannot be moved without one.
 */
export function displayDefinition(
  record: DisplayRecord,
  { base_dir, displays }: Pick<Config, "base_dir" | "displays">,
  path = process.env.PATH,
): ProcessDefinition {
  const server = quoteWords(serverWords(record, displays));
  const [fifo, authority] = [quoteWords([join(record.folder, "ready")]), quoteWords([authorityOf(record)])];
  const manager = windowManager(displays, path);
  const loop = manager === null ? "" : `; while :; do ${manager}; sleep 1; done`;
  const line = [
    `rm -f ${fifo} && mkfifo -m 600 ${fifo} || exit 1`,
    `( read -r number <${fifo} && echo "display :$number is ready"; export DISPLAY=:${record.display} XAUTHORITY=${authority}${loop} ) &`,
    `exec ${server} 3<>${fifo}`,
  ].join("\n");
  return {
    name: displayProcessOf(record.user),
    node: "localhost",
    host: null,
    command: { text: server, program: { kind: "shell", line } },
    alternate_commands: new Map(),
    cwd: ".",
    base_dir,
    environment: {},
    pass_environment: [],
    terminal: { rows: 24, cols: 80, backlog: 256 * 1_024 },
    env_files: [],
    user: null,
    umask: null,
    limits: {},
    scheduling: null,
    ready: { kind: "regex", pattern: `display :${record.display} is ready` },
    ready_timeout: READY_TIMEOUT_MS,
    depends_on: [],
    restart: {
      policy: "on-failure",
      delay: 500,
      factor: 2,
      max_delay: 10_000,
      max_restarts: 5,
      window: 60_000,
      reset_after: 60_000,
      stable_after: 10_000,
    },
    stop: [
      { signal: "SIGTERM", timeout_ms: STOP_TIMEOUT_MS },
      { signal: "SIGKILL", timeout_ms: STOP_TIMEOUT_MS },
    ],
    success_exit_codes: [0],
    autostart: false,
    alive: null,
    essential: false,
    confirm: false,
    watch: [],
    log_file: null,
    output_on_disk: false,
    start_tool: null,
    // Additions of other features to a process are as if they were not configured.
    ...resolveProcessParts((key) => PROCESS_DEFAULTS[key]),
  };
}

function serverWords(record: DisplayRecord, { geometry, stop_after_disconnect, stop_after_idle }: DisplaySettings): string[] {
  const seconds = (milliseconds: number) => String(Math.max(1, Math.round(milliseconds / 1_000)));
  return [
    ...[SERVER, `:${record.display}`, "-displayfd", "3", "-auth", authorityOf(record)],
    ...["-geometry", geometry, "-depth", "24", "-desktop", record.user],
    // No TCP port: the socket is in a folder that only this user can enter.
    ...["-nolisten", "tcp", "-localhost", "-rfbport", "-1", "-rfbunixpath", socketOf(record), "-rfbunixmode", "0600"],
    ...["-SecurityTypes", "None", "-AlwaysShared", "-AcceptSetDesktopSize", "-noreset"],
    ...(stop_after_disconnect === null ? [] : ["-MaxDisconnectionTime", seconds(stop_after_disconnect)]),
    ...(stop_after_idle === null ? [] : ["-MaxIdleTime", seconds(stop_after_idle)]),
  ];
}

/** The configured window manager, if its program is installed. */
export function windowManager({ window_manager }: DisplaySettings, path = process.env.PATH): string | null {
  const program = window_manager?.trim().split(/\s/)[0] ?? "";
  return window_manager !== null && isOnPath(program, path ?? "") ? window_manager : null;
}
