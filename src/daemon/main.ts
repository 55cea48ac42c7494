import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { closeSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDiskFull, messageOf } from "../base/errors.ts";
import type { HandedOver } from "../base/handed-over.ts";
import { STARTED } from "../base/started.ts";
import { visible } from "../base/text/visible-text.ts";
import { systemClock } from "../base/timing/clock.ts";
import { tuneSockets } from "../bus/carriers/socket-tuning.ts";
import { hubDial } from "../bus/client/hub-dial.ts";
import { CONTRACT_VERSION, type HostLog, type HostLogWriter } from "../contract/messages.ts";
import { makeStateFolder } from "../files/state-folder.ts";
import { openJsonLog, PINO_LEVELS } from "../log/json-log.ts";
import { busFiles } from "./bus/bus-files.ts";
import { HostBus, type HostBusOptions } from "./bus/host-bus.ts";
import { type BusService, serveOnBus, serverOf } from "./bus-service.ts";
import { Host } from "./host.ts";
import { ptyBinding } from "./native/pty-binding.ts";
import { limitUnsent, unsentBytes } from "./native/socket-options.ts";
import { bootId, readStat } from "./proc/proc.ts";
import { keepInheritedFiles } from "./process/inherited-files.ts";
import { Replacement } from "./replacement.ts";
import { instanceUuid, keepInstanceUuid } from "./session/instance.ts";
import { acquireLock, takeLock } from "./session/lock.ts";
import { watchLock } from "./session/lock-watch.ts";
import { makePrivate, socketDir } from "./session/sockets.ts";
import { placeOfBus, readStartOptions, type StartOptions } from "./start-options.ts";
import { KeptRequests } from "./supervision/kept-requests.ts";
import { requestFile } from "./supervision/request-store.ts";
import { answerCheck, type TakenOver, takenOver, versionOf } from "./take-over.ts";
import { RunCgroups } from "./tree/cgroups.ts";
import { killGuarded } from "./tree/guard-search.ts";
import { createGuardedReaper } from "./tree/guarded-reaper.ts";
import { StaleRunCleanup } from "./tree/stale-run-cleanup.ts";

/** The file that starts the daemon, in the folder of this bundle. */
const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "daemon.cjs");
const EXIT = { done: 0, failed: 1, usage: 2, locked: 3 } as const;

void main();

async function main(): Promise<void> {
  loadNativeParts();
  const options = parseOptions(process.argv[2]);
  const version = options.version ?? versionOf(PROGRAM);
  answerCheck(version);
  const taken = takeOver();
  // This program may live for months: it must not keep the folder, files or terminal of its start in use.
  enter(options.work_dir);
  keepInheritedFiles();
  const lock = taken === null ? await acquireDaemonLock(options) : takeLock(taken.lock);
  const { logger: log, flush } = openJsonLog(join(options.state_dir, "daemon.log"), "daemon");
  const report = (level: HostLog["level"], source: string, msg: string) => {
    log[PINO_LEVELS[level]]({ source }, msg);
    if (options.is_talkative && level !== "debug")
      process.stdout.write(`${new Date().toISOString().slice(11, 23)} ${level} ${visible(msg)}\n`);
  };

  let isServing = false;
  const survive = (error: unknown) => {
    log.fatal({ err: error }, isServing ? "internal error; the daemon continues" : "the daemon could not start");
    if (!isServing) giveUp(EXIT.failed, `the host daemon could not start: ${messageOf(error)}`);
  };
  process.on("uncaughtException", survive);
  process.on("unhandledRejection", survive);

  const streamId = taken?.streamId ?? randomUUID();
  const waiting = new AbortController();
  const cgroups = taken === null ? RunCgroups.create(streamId) : taken.cgroup === null ? null : RunCgroups.take(taken.cgroup);
  const reaper = createGuardedReaper({
    subreaper: true,
    marker: streamId,
    locks: lock.info.paths,
    cgroups,
    log: (msg) => log.warn(msg),
    taken: taken?.reaper,
  });
  tuneSockets({ limitUnsent, unsentBytes });
  const files = busFiles(options.state_dir);
  const managerLock = join(options.state_dir, "manager.lock");
  const bus = await openBus(
    { ...options, hub: () => hubDial(serverOf(options.bus, managerLock)), files, taken: taken?.sections.bus },
    (level, msg) => report(level, "bus", msg),
  );
  const previous = new StaleRunCleanup(join(options.state_dir, "daemon.json"));
  let isEnding = false;
  const replacement = new Replacement({
    options,
    program: PROGRAM,
    version,
    parts: () => ({
      ...host.survivingParts,
      ...(bus === null ? {} : { bus }),
      reaper,
      lock,
      daemon: { handOver: () => ({ state: { stream_id: streamId }, descriptors: {}, bytes: {} }) },
    }),
    isEnding: () => isEnding,
    flushLog: flush,
    log: (level, msg) => report(level, "daemon", msg),
  });
  const host = new Host({
    host: options.host,
    subreaper: true,
    ...(bus === null ? {} : { bus }),
    keptOutput: {
      runtimeFolder: runtimeFolder(options.state_dir, lock.info.instance_uuid, (msg) => log.warn(msg)),
      diskFolder: join(options.state_dir, "output"),
      previousEnd: previous.lastEnd(),
    },
    folders: { state: options.state_dir, work: options.work_dir },
    requests: keptRequests({ ...options, taken: taken?.sections.requests }, (level, msg) => report(level, "daemon", msg)),
    killTree: reaper,
    ...(cgroups === null ? {} : { cgroups }),
    streamId,
    log: ({ level, source, msg }) => report(level, source, msg),
    ...(version === null ? {} : { version }),
    replaceProgram: (target) => replacement.begin(target),
    taken: taken?.sections,
    ...(options.ring_budget === undefined ? {} : { ringBudget: options.ring_budget }),
  });
  const stopWatch = watchLock({
    lock,
    remake: async () => {
      keepInstanceUuid(options.state_dir, lock.info.instance_uuid);
      if (isServing) previous.begin(streamId, cgroups?.path ?? null);
      files.check();
    },
    onCheck: async () => files.check(),
    log: (level, msg) => report(level, "daemon", msg),
  });
  let service: BusService | null = null;

  const end = async () => {
    isEnding = true;
    waiting.abort();
    report("info", "daemon", "stopping everything");
    await host.stopAll();
    // The bus is closed before the recordings end: messages accepted later would not be recorded.
    await bus?.close();
    await host.close();
    await service?.close();
    await stopWatch();
    previous.close();
    lock.release();
    log.info("ended");
    process.exit(EXIT.done);
  };
  const hurry = async () => {
    log.info("killing everything");
    await host.close();
  };
  onEndSignal((isFirst) => {
    (isFirst ? end() : hurry()).catch((error: unknown) => {
      log.fatal({ err: error }, "the shutdown failed; the guard kills what is left");
      process.exit(EXIT.failed);
    });
  });

  const ended = taken === null ? ((await previous.end((msg) => log.warn(msg))) ?? (await killGuarded(lock.info.paths))) : null;
  if (ended !== null) log.warn({ stream_id: ended }, "the previous daemon was killed; its processes have been killed too");
  try {
    if (taken === null) previous.begin(streamId, cgroups?.path ?? null);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // Only the successor of a killed daemon needs the state, and the guard has then killed the processes already.
    log.error(`cannot save the state for the next daemon: ${messageOf(error)}`);
  }
  reaper.startGuard();
  if (taken !== null) {
    closeUnclaimed(taken, host);
    log.info({ version, replaced: taken.program }, `this program has replaced that of the daemon; ${host.livingRuns} processes go on`);
  }
  log.info({ stream_id: streamId, contract: CONTRACT_VERSION, host: options.host, bus: placeOfBus(options) }, "started");
  isServing = true;
  host.resume();
  channel(STARTED).publish(undefined);
  try {
    service = await serveOnBus({
      host,
      bus: options.bus,
      managerLock,
      log: (level, msg) => report(level, "bus", msg),
      signal: waiting.signal,
    });
  } catch (error) {
    if (!waiting.signal.aborted) giveUp(EXIT.failed, `the host daemon could not be put onto the bus: ${messageOf(error)}`);
  }
}

/** Returns the output folder beside the sockets; null: there is none, and output is lost with this daemon. */
function runtimeFolder(stateDir: string, uuid: string, log: (msg: string) => void): string | null {
  try {
    const folder = join(socketDir({ uuid, stateDir }).path, "output");
    makePrivate(folder);
    return folder;
  } catch (error) {
    log(`output is not kept for the next daemon: ${messageOf(error)}`);
    return null;
  }
}

function keptRequests({ state_dir, resume, taken }: StartOptions & { taken: HandedOver | undefined }, log: HostLogWriter): KeptRequests {
  const store = requestFile(join(state_dir, "requested.json"), { now: () => systemClock.now(), log });
  return new KeptRequests({ store, clock: systemClock, bootId: bootId(), isResuming: resume, taken, log });
}

/** Takes over from the program before this one; null: there was none. */
function takeOver(): TakenOver | null {
  try {
    return takenOver();
  } catch (error) {
    return giveUp(
      EXIT.failed,
      `the program of the host daemon was replaced by one that cannot go on; its processes are killed: ${messageOf(error)}`,
    );
  }
}

/** Closes what parts have handed over that this program does not have. */
function closeUnclaimed({ sections }: TakenOver, host: Host): void {
  const claimed = new Set(["daemon", "lock", "reaper", "bus", ...Object.keys(host.survivingParts)]);
  for (const [name, { descriptors }] of Object.entries(sections))
    if (!claimed.has(name)) for (const descriptor of Object.values(descriptors)) closeSync(descriptor);
}

/** Returns null if the bus could not be opened: processes run without it. */
async function openBus(
  { host, files, hub, taken }: Pick<HostBusOptions, "host" | "files" | "hub" | "taken">,
  log: HostBusOptions["log"],
): Promise<HostBus | null> {
  try {
    // Programs are held until the recordings run; the host then admits them.
    return await HostBus.open({ host, files, hub, log, taken, isHeld: true });
  } catch (error) {
    log("error", `programs of this host have no bus: ${messageOf(error)}`);
    return null;
  }
}

/** Enters the base folder of relative paths, so that the folder of the start is not kept in use. */
function enter(folder: string): void {
  try {
    process.chdir(folder);
  } catch (error) {
    giveUp(EXIT.failed, `the host daemon cannot work in ${folder}: ${messageOf(error)}`);
  }
}

/** Checked first: a daemon that cannot open terminals is useless. */
function loadNativeParts(): void {
  try {
    ptyBinding();
  } catch (error) {
    giveUp(EXIT.failed, messageOf(error));
  }
}

function parseOptions(argument: string | undefined): StartOptions {
  try {
    // Read synchronously, because everything else needs the options. Descriptor 0 stays open, so that no file gets its number.
    const options = readStartOptions(argument, () => readFileSync(0, "utf8"));
    return options ?? process.exit(EXIT.done);
  } catch (error) {
    return giveUp(
      EXIT.usage,
      `the host daemon takes one argument, JSON {"state_dir", "host", "bus"} with absolute paths: ${messageOf(error)}`,
    );
  }
}

async function acquireDaemonLock(options: StartOptions) {
  const { state_dir } = options;
  const path = join(state_dir, "daemon.lock");
  try {
    makeStateFolder(state_dir);
    const lock = await acquireLock(path, {
      instance_uuid: instanceUuid(state_dir),
      contract: CONTRACT_VERSION,
      socket: placeOfBus(options),
    });
    if (!("holder" in lock)) return lock;
    return giveUp(EXIT.locked, `a host daemon of this instance runs already (pid ${lock.holder.pid} holds ${path})`);
  } catch (error) {
    return giveUp(EXIT.failed, `the host daemon could not take its lock: ${messageOf(error)}`);
  }
}

/**
 * SIGTERM ends the daemon; a second one ends it at once. In a terminal, SIGINT does the same, and a first SIGHUP ends it; a closed terminal
 * sends several of these. A detached daemon ignores both.
 */
function onEndSignal(handle: (isFirst: boolean) => void): void {
  let isFirst = true;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === "SIGHUP" && !isFirst) return;
    handle(isFirst);
    isFirst = false;
  };
  const isDetached = readStat(process.pid)?.tty === 0;
  process.on("SIGTERM", onSignal);
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, isDetached ? () => {} : onSignal);
}

function giveUp(code: number, sentence: string): never {
  process.stderr.write(`${visible(sentence)}\n`);
  process.exit(code);
}
