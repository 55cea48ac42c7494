import { resolve } from "node:path";
import type { ConfigFileHistory, ConfigFileText, Configuration, ConfigurationChange } from "../../actors/control.ts";
import { MgrError, messageOf } from "../../base/errors.ts";
import { SerialQueue } from "../../base/timing/serial-queue.ts";
import type { Config } from "../../config/definition.ts";
import { fileFacts, readEditable, replaceFile } from "../../config/edit-file.ts";
import type { LogBook } from "../../log/log-book.ts";
import { ConfigHistory } from "../state/config-history.ts";

/** Reads the configuration again; `instead` has texts to use in place of files. */
export type LoadConfig = (instead?: ReadonlyMap<string, string>) => Promise<Config>;

interface RunningConfigurationOptions {
  /** The current configuration. */
  current: () => Config;
  /** Null if there is no file to read again. */
  load: LoadConfig | null;
  plan: (next: Config) => ConfigurationChange;
  apply: (next: Config) => ConfigurationChange;
  /** Earlier versions of the files; default: in memory only. */
  history: ConfigHistory | undefined;
  log: LogBook;
}

/** Maximum number of queued reloads, saves and reads; one more is `busy`. */
const MAX_WAITING = 32;

/**
 * The configuration while the manager runs: previewing a reload, reloading, and editing its files. Operations run one after the other; a
 * configuration that was read takes effect in one turn.
 */
export class RunningConfiguration implements Configuration {
  readonly #options: RunningConfigurationOptions & { readonly history: ConfigHistory };
  readonly #operations = new SerialQueue({ max: MAX_WAITING, busy: "too many requests about the configuration are waiting; try again" });

  /** Connections with a check under way. */
  readonly #checking = new Set<string>();

  constructor(options: RunningConfigurationOptions) {
    this.#options = { ...options, history: options.history ?? new ConfigHistory() };
    if (options.load !== null) void this.#operations.run(() => this.#noteFiles());
  }

  /** Resolves when no operation is in progress. */
  async settled(): Promise<void> {
    await this.#operations.run(() => {}).catch(() => {});
  }

  plan(): Promise<ConfigurationChange> {
    return this.#operations.run(async () => this.#options.plan(await this.#load()));
  }

  reload(by: string): Promise<ConfigurationChange> {
    const { log, apply } = this.#options;
    return this.#operations.run(async () => {
      try {
        const change = apply(await this.#load());
        const { added, removed, changed, restart_needed, hosts } = change;
        const counts = `${added.length} added, ${removed.length} removed, ${changed.length} changed`;
        const ofHosts = hosts.map(
          (host) => `; host '${host.name}' ${host.change}${host.keys.length === 0 ? "" : ` (${host.keys.join(", ")})`}`,
        );
        this.#logAction(`'${by}' reloads the configuration: ${counts}${ofHosts.join("")}`, by);
        if (restart_needed.length > 0) {
          const names = restart_needed.map((name) => `'${name}'`).join(", ");
          log.warn(`these still run with their earlier configuration; restart them to apply the new one: ${names}`, restart_needed);
        }
        await this.#noteFiles();
        return change;
      } catch (error) {
        log.error(`'${by}' cannot reload the configuration: ${messageOf(error)}`);
        throw error;
      }
    });
  }

  /** Puts a configuration into effect that `make` derives from the present one. Rejects as `make` does, or as a reload does. */
  change(make: (present: Config) => Config): Promise<ConfigurationChange> {
    return this.#operations.run(() => this.#options.apply(make(this.#options.current())));
  }

  file(path: string | undefined, version?: string): Promise<ConfigFileText> {
    return this.#operations.run(async () => {
      const known = this.#known(path);
      const { content, hash } =
        version === undefined ? await readEditable(known) : { content: await this.#options.history.text(known, version), hash: version };
      const files = await Promise.all(this.#options.current().files.map(async (each) => ({ path: each, facts: await fileFacts(each) })));
      return {
        path: known,
        content,
        hash,
        effective_hash: this.#effectiveHash(known),
        files: files.flatMap(({ path: each, facts }) => (facts === null ? [] : [{ path: each, ...facts }])),
      };
    });
  }

  history(path: string | undefined): Promise<ConfigFileHistory> {
    return this.#operations.run(async () => {
      const known = this.#known(path);
      const { content, hash } = await readEditable(known);
      // A version that another program has written since can be compared, too.
      await this.#note(known, content, null);
      return { path: known, hash, effective_hash: this.#effectiveHash(known), versions: this.#options.history.of(known) };
    });
  }

  async check({ path, content }: { path: string; content: string }, requester: string): Promise<void> {
    if (this.#checking.has(requester)) throw new MgrError("busy", "a check of this connection is under way; wait for its answer");
    this.#checking.add(requester);
    try {
      await this.#operations.run(() => this.#load(new Map([[this.#known(path), content]])));
    } finally {
      this.#checking.delete(requester);
    }
  }

  save({ path, content, baseHash }: { path: string; content: string; baseHash: string | undefined }, by: string): Promise<string> {
    return this.#operations.run(async () => {
      const known = this.#known(path);
      // An outdated text is reported before any errors in it.
      if (baseHash !== undefined && (await readEditable(known)).hash !== baseHash)
        throw new MgrError("conflict", `${known} was changed by another user or program; load it again`);
      await this.#load(new Map([[known, content]]));
      await this.#note(known, (await readEditable(known)).content, null);
      const { hash } = await replaceFile(known, content, baseHash);
      await this.#note(known, content, by);
      this.#logAction(`'${by}' saved ${known}`, by);
      return hash;
    });
  }

  #logAction(msg: string, by: string): void {
    this.#options.log.append({ level: "info", source: "manager", msg, action: { kind: "configuration", by, name: null } });
  }

  #effectiveHash(path: string): string | null {
    return this.#options.current().hashes.get(path) ?? null;
  }

  /** Records the texts that have taken effect. */
  async #noteFiles(): Promise<void> {
    for (const path of this.#options.current().files) {
      const text = await readEditable(path).catch(() => null);
      if (text !== null) await this.#note(path, text.content, null);
    }
  }

  /** Records a version of a file. A failure, such as a full disk, is only logged: the file itself matters more. */
  async #note(path: string, content: string, by: string | null): Promise<void> {
    const { history, log } = this.#options;
    try {
      await history.note(path, content, by, Date.now());
    } catch (error) {
      log.warn(`this version of ${path} is not kept: ${messageOf(error)}`);
    }
  }

  /** Accepts only a file of the configuration. */
  #known(path: string | undefined): string {
    const { files, base_dir } = this.#options.current();
    const [main] = files;
    if (main === undefined) throw withoutFile();
    const found = path === undefined ? main : files.find((file) => file === resolve(base_dir, path));
    if (found === undefined)
      throw new MgrError("not_found", `'${path}' is not a file of this configuration; its files are ${files.join(", ")}`);
    return found;
  }

  #load(instead?: ReadonlyMap<string, string>): Promise<Config> {
    const { load } = this.#options;
    if (load === null) throw withoutFile();
    return load(instead);
  }
}

/** The error for a request for a file when the configuration has none. */
export function withoutFile(): MgrError {
  return new MgrError("conflict", "this manager has its configuration from a program, not from a file; there is nothing to reload");
}
