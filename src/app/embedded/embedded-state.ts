import { join } from "node:path";
import { MgrError } from "../../base/errors.ts";
import { IntentStore } from "../../config/state/intent-store.ts";
import { CONTRACT_VERSION } from "../../contract/messages.ts";
import { type BusFiles, busFiles, noBusFiles } from "../../daemon/bus/bus-files.ts";
import { instanceUuid } from "../../daemon/session/instance.ts";
import { acquireLock } from "../../daemon/session/lock.ts";
import { MANAGER_FEATURES } from "../../features/manager.ts";
import { makeStateFolder } from "../../files/state-folder.ts";
import type { LogBook, LogBookOptions } from "../../log/log-book.ts";
import { type OpenedFeature, openFeatures } from "../feature.ts";
import { openLogFile, readLogFile } from "../log-file.ts";
import { type IntentKeeper, memoryIntents } from "../state/intent-keeper.ts";
import { RunHistory } from "../state/run-history.ts";
import { openRunHistory } from "../state/run-history-file.ts";
import { StateFiles } from "../state/state-files.ts";
import { INTENT_FILE, keepStateFolder } from "../state/state-folder.ts";

/** The state of an embedded manager: requested states, epoch and log. */
export interface EmbeddedState {
  readonly intents: IntentKeeper;
  readonly epoch: number;
  /** The last log id and up to `count` log entries of earlier managers. */
  logBefore(count: number): Promise<Pick<LogBookOptions, "lastId" | "earlier">>;
  /** Starts to write the log. Resolves with the runs of earlier managers. */
  begin(log: LogBook): Promise<RunHistory>;
  readonly bus: BusFiles;
  /** Undefined: features keep nothing. */
  readonly features: readonly OpenedFeature[] | undefined;
  release(): Promise<void>;
}

export function keepInMemory(): EmbeddedState {
  return {
    intents: memoryIntents(),
    epoch: 1,
    logBefore: async () => ({}),
    begin: async () => new RunHistory(),
    bus: noBusFiles(),
    features: undefined,
    release: () => Promise.resolve(),
  };
}

/** Rejects with `conflict` while another manager uses the folder. */
export async function keepInFolder(stateDir: string): Promise<EmbeddedState> {
  makeStateFolder(stateDir);
  const about = { instance_uuid: instanceUuid(stateDir), contract: CONTRACT_VERSION, socket: "" };
  const lock = await acquireLock(join(stateDir, "manager.lock"), about);
  if ("holder" in lock)
    throw new MgrError("conflict", `the state folder ${stateDir} is in use by the manager with pid ${lock.holder.pid}; give another one`);
  let end = async () => {};
  try {
    const files = new StateFiles(stateDir);
    const bus = busFiles(stateDir);
    const intents = await IntentStore.open(files.path(INTENT_FILE));
    const endIntents = () => {
      intents.endJournal();
      return intents.flush();
    };
    end = endIntents;
    const logFile = files.path("manager.log");
    let warn = (_msg: string) => {};
    return {
      intents,
      epoch: await intents.nextEpoch(),
      logBefore: async (count) => ({ lastId: intents.lastLogId, earlier: await readLogFile(logFile, count) }),
      features: await openFeatures(MANAGER_FEATURES, { files, sockets: null, warn: (msg) => warn(msg) }),
      async begin(log) {
        warn = (msg) => log.error(msg);
        const closeFile = openLogFile(logFile, log);
        const runs = await openRunHistory(files.path("runs.log"), log);
        if (intents.warning) log.warn(intents.warning);
        const stopChecks = keepStateFolder({ lock, intents, files, log, onCheck: () => bus.check() });
        end = async () => {
          await stopChecks();
          await runs.close();
          await closeFile();
          intents.rememberLogId(log.lastId);
          await endIntents();
        };
        return runs.history;
      },
      bus,
      release: () => end().finally(() => lock.release()),
    };
  } catch (error) {
    // An error of this cleanup would hide its cause, which is thrown below.
    await end().catch(() => undefined);
    lock.release();
    throw error;
  }
}
