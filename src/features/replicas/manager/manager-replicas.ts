import type { ManagerCore } from "../../../app/feature.ts";
import { StateWriter } from "../../../app/state/state-writer.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { Config } from "../../../config/definition.ts";
import { ConfigError } from "../../../config/schema/problems.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import { replicaName } from "../replica-names.ts";
import { firstReplica, type ReplicaSet } from "../wire.ts";
import type { Replicas } from "./replicas.ts";
import type { CountsFile, SavedCount } from "./saved-counts.ts";

type Options = Pick<ManagerCore, "config" | "events" | "intents" | "log" | "processes" | "reconfigure" | "startProcess"> & {
  readonly file: CountsFile;
};

/** Numbers of replicas that were set while the manager runs, and those of the file. */
export class ManagerReplicas implements Replicas {
  readonly #options: Options;
  readonly #writer: StateWriter;
  /** The numbers that differ from the file, by process. They count until the number in the file changes. */
  #scaled: ReadonlyMap<string, SavedCount>;
  #sets: ReadonlyMap<string, ReplicaSet> = new Map();

  constructor(options: Options) {
    this.#options = options;
    this.#scaled = byName(options.file.content.replicas);
    this.#writer = new StateWriter(() => options.file.save({ replicas: [...this.#scaled.values()] }));
  }

  list(view: ViewMode): ReplicaSet[] {
    return [...this.#sets.values()].filter(({ name }) => contains(view, firstReplica(name)));
  }

  /** The configuration with the numbers that were set, unless the file has other ones now, or has problems with them. */
  adjusted(read: Config): Config {
    const { multiplied } = read;
    if (multiplied === null) return read;
    const counts = [...this.#scaled.values()].flatMap(({ name, configured, count }) =>
      multiplied.entries.get(name)?.configured === configured ? [[name, count] as const] : [],
    );
    if (counts.length === 0) return read;
    try {
      return multiplied.with(new Map(counts));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const set = counts.map(([name, count]) => `${name}=${count}`).join(", ");
      this.#options.log.warn(`the numbers of replicas of the file count instead of ${set}: with those ${error.message}`);
      return read;
    }
  }

  begin(): void {
    this.#sets = setsOf(this.#options.config());
    this.#keep();
  }

  reconfigured(): void {
    const { config, events } = this.#options;
    const before = this.#sets;
    this.#sets = setsOf(config());
    for (const [name, set] of this.#sets) {
      const known = before.get(name);
      if (known?.count !== set.count || known.configured !== set.configured) events.publish({ type: "replicas_upsert", replicas: set });
    }
    for (const name of before.keys()) if (!this.#sets.has(name)) events.publish({ type: "replicas_remove", name });
    this.#keep();
  }

  async scale(name: string, count: number, by: string): Promise<void> {
    const { intents, reconfigure, processes, log } = this.#options;
    let before = count;
    let isWanted = false;
    const added = () => Array.from({ length: Math.max(0, count - before) }, (_, at) => replicaName(name, before + at + 1));
    await reconfigure((present) => {
      const names = this.#namesOf(present, name);
      before = names.length;
      isWanted = names.some((each) => processes.process(each)?.requested_state === "start");
      const next = this.#with(present, name, count);
      // Replicas with autostart would start although a user has stopped all others.
      if (!isWanted) for (const each of added()) intents.set(each, { requested_state: "stop" });
      return next;
    });
    const msg = `'${by}' scales '${name}' from ${before} to ${count}`;
    log.append({ level: "info", source: "manager", msg, action: { kind: "command", by, name } });
    if (isWanted) for (const each of added()) await this.#start(each, by);
    await this.#writer.save();
  }

  #namesOf({ multiplied, processes }: Config, name: string): readonly string[] {
    const entry = multiplied?.entries.get(name);
    if (entry !== undefined) return entry.names;
    if (processes.has(name)) throw new MgrError("conflict", `process '${name}' has no replicas; give it 'replicas' in the configuration`);
    throw new MgrError("not_found", `there is no process '${name}' with replicas`);
  }

  #with({ multiplied }: Config, name: string, count: number): Config {
    const counts = new Map([...this.#sets.values()].map((set) => [set.name, set.count])).set(name, count);
    try {
      if (multiplied !== null) return multiplied.with(counts);
    } catch (error) {
      throw new MgrError("conflict", `'${name}' cannot have ${count} replicas: ${messageOf(error)}`, { cause: error });
    }
    throw new MgrError("not_found", `there is no process '${name}' with replicas`);
  }

  /** A host that cannot be reached does not undo the scale: the process shows why it does not run. */
  async #start(name: string, by: string): Promise<void> {
    try {
      await this.#options.startProcess(name, by);
    } catch (error) {
      this.#options.log.warn(`the new replica '${name}' was not started: ${messageOf(error)}`, [name]);
    }
  }

  /** Keeps the numbers in effect that are not those of the file. */
  #keep(): void {
    const scaled = byName([...this.#sets.values()].filter(({ count, configured }) => count !== configured));
    const isSame =
      scaled.size === this.#scaled.size && [...scaled.values()].every(({ name, count }) => this.#scaled.get(name)?.count === count);
    this.#scaled = scaled;
    if (!isSame) void this.#writer.save();
  }
}

function setsOf({ multiplied }: Config): ReadonlyMap<string, ReplicaSet> {
  return new Map(
    [...(multiplied?.entries ?? [])].map(([name, { configured, names }]) => [name, { name, count: names.length, configured }]),
  );
}

function byName(counts: readonly SavedCount[]): ReadonlyMap<string, SavedCount> {
  return new Map(counts.map((each) => [each.name, each]));
}
