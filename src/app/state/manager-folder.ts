import { join } from "node:path";
import { isDiskFull, MgrError } from "../../base/errors.ts";
import { pause, systemClock } from "../../base/timing/clock.ts";
import type { Config } from "../../config/definition.ts";
import { IntentStore } from "../../config/state/intent-store.ts";
import { CONTRACT_VERSION } from "../../contract/messages.ts";
import { instanceUuid } from "../../daemon/session/instance.ts";
import { acquireLock, type Lock } from "../../daemon/session/lock.ts";
import { socketDir } from "../../daemon/session/sockets.ts";
import { makeStateFolder } from "../../files/state-folder.ts";
import { LogBook } from "../../log/log-book.ts";
import { RunningNote } from "../local-daemon/running-instance.ts";
import { openLogFile, readLogFile } from "../log-file.ts";
import { surviveShortage } from "../survive-shortage.ts";
import { openConfigHistory } from "./config-versions.ts";
import { RetryingIntentStore } from "./retrying-intent-store.ts";
import { openRunHistory } from "./run-history-file.ts";
import { StateFiles } from "./state-files.ts";
import { INTENT_FILE } from "./state-folder.ts";

interface ManagerFolderOptions {
  config: Config;
  /** Functions that release resources when the manager closes, oldest first. */
  cleanups: (() => unknown)[];
  /** Called when the log is open. */
  onLog: (log: LogBook) => void;
}

/** Locks and opens the state folder of a manager: requested state, log, history of runs. Rejects with `conflict` if a manager runs there. */
export async function openManagerFolder(options: ManagerFolderOptions) {
  const { config, cleanups } = options;
  const stateDir = config.instance.state_dir;
  makeStateFolder(stateDir);
  const uuid = instanceUuid(stateDir);
  const { path: folder, problems } = socketDir({ uuid, stateDir });
  const socket = join(folder, "bus.sock");
  const lock = await acquireManagerLock(config, { uuid, socket });
  cleanups.push(() => lock.release());
  const note = new RunningNote(config);
  note.keep();
  cleanups.push(() => note.remove());

  const files = new StateFiles(stateDir);
  const intents = await IntentStore.open(files.path(INTENT_FILE));
  const log = await openLog(options, intents);
  if (problems.length > 0) log.warn(`sockets are in ${folder}: ${problems.join("; ")}`);
  const epoch = await raiseEpoch(intents);
  const { history, close } = await openRunHistory(join(stateDir, "runs.log"), log);
  cleanups.push(close);
  const configHistory = await openConfigHistory(join(stateDir, "config-versions"), log);
  /** The folder of the sockets, created again if it was removed. */
  const sockets = () => socketDir({ uuid, stateDir }).path;
  return { stateDir, uuid, socket, sockets, lock, note, files, intents, log, epoch, history, configHistory };
}

async function acquireManagerLock({ instance }: Config, { uuid, socket }: { uuid: string; socket: string }): Promise<Lock> {
  const path = join(instance.state_dir, "manager.lock");
  const lock = await acquireLock(path, { instance_uuid: uuid, contract: CONTRACT_VERSION, socket });
  if ("holder" in lock) {
    throw new MgrError("conflict", `'${instance.name}' is running already: its manager has pid ${lock.holder.pid}. End it with: mgr down`);
  }
  return lock;
}

async function openLog({ config, cleanups, onLog }: ManagerFolderOptions, intents: IntentStore): Promise<LogBook> {
  const path = join(config.instance.state_dir, "manager.log");
  const capacity = config.instance.retained_log_entries;
  const log = new LogBook({ capacity, now: () => Date.now(), lastId: intents.lastLogId, earlier: await readLogFile(path, capacity) });
  cleanups.push(openLogFile(path, log));
  onLog(log);
  cleanups.push(surviveShortage((msg) => log.error(msg)));
  if (intents.warning) log.warn(intents.warning);
  cleanups.push(async () => {
    intents.rememberLogId(log.lastId);
    intents.endJournal();
    const patient = new RetryingIntentStore(intents, { clock: systemClock, log });
    await patient.flush();
    // On a full disk it would retry for ever.
    patient.close();
  });
  return log;
}

/**
 * Returns the epoch of this boot. If a full disk does not store it, the next manager uses its time in seconds instead, so this one continues only
 * when its own second has passed.
 */
async function raiseEpoch(intents: IntentStore): Promise<number> {
  try {
    return await intents.nextEpoch();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await pause(systemClock, 1_000);
    return intents.epoch;
  }
}
