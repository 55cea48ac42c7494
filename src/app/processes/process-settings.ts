import type { Attribute, AttributeValue, OutputFlag, Settings } from "../../actors/control.ts";
import { MgrError } from "../../base/errors.ts";
import { shortened } from "../../base/text/text-length.ts";
import { toCommand } from "../../config/command-line.ts";
import type { Config, ProcessDefinition, StartToolSetting } from "../../config/definition.ts";
import { NO_TOOL, offeredTools } from "../../config/start-tools.ts";
import { NO_SETTINGS, PRIMARY, type ProcessSettings, withOverride } from "../../config/state/process-settings.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { StartTool } from "../../protocol/resources/resources.ts";

/** Time for which found start tools are cached, milliseconds. */
const OFFERED_FOR_MS = 1_000;

/** Stores settings: in memory at once, on disk when `flush` has resolved. */
export interface SettingsKeeper {
  get(name: string): { readonly settings?: ProcessSettings };
  set(name: string, patch: { settings: ProcessSettings }): void;
  flush(): Promise<void>;
}

interface ProcessSettingsOptions {
  config: () => Config;
  keeper: SettingsKeeper;
  log: LogBook;
  /** Throws if the process is unknown, or was removed and is still being stopped. */
  check: (name: string) => void;
  /** Sends the settings to the process's actor. */
  apply: (name: string, settings: ProcessSettings) => void;
}

/**
 * Settings that users choose for processes in addition to their configuration. Every change is checked, kept and shown in the turn in which it is
 * requested; the promise resolves once it is on disk, or when the wait for the disk has timed out. Refusals are `not_found` (process, label, tool)
 * and `bad_field`.
 */
export class ProcessSettingsBook implements Settings {
  readonly #config: () => Config;
  readonly #keeper: SettingsKeeper;
  readonly #log: LogBook;
  readonly #check: ProcessSettingsOptions["check"];
  readonly #apply: ProcessSettingsOptions["apply"];
  /** Result of the last search, which checks each folder of PATH for each tool. */
  #offered: { at: number; configured: readonly StartToolSetting[]; tools: StartTool[] } | null = null;

  constructor({ config, keeper, log, check, apply }: ProcessSettingsOptions) {
    this.#config = config;
    this.#keeper = keeper;
    this.#log = log;
    this.#check = check;
    this.#apply = apply;
  }

  of(name: string): ProcessSettings {
    return this.#keeper.get(name).settings ?? NO_SETTINGS;
  }

  /** Start tools in the order of menus (docs/design/wire-rules.md, "Processes"). */
  startTools(): StartTool[] {
    const now = performance.now();
    const configured = this.#config().instance.start_tools;
    if (this.#offered?.configured !== configured || now - this.#offered.at > OFFERED_FOR_MS)
      this.#offered = { at: now, configured, tools: this.#findTools() };
    return this.#offered.tools;
  }

  #findTools(): StartTool[] {
    const tools = offeredTools(this.#config().instance.start_tools, process.env.PATH);
    return [
      { value: null, label: "default" },
      { value: NO_TOOL, label: "no tool" },
      ...tools.map(({ value, label }) => ({ value, label })),
    ];
  }

  selectCommand(name: string, which: string, by: string): Promise<void> {
    this.#label(name, which);
    return this.#change({ name, by }, { which }, `'${by}' selects the command '${which}' of process '${name}'`);
  }

  /** Null and "" clear the override. */
  overrideCommand(name: string, which: string, override: string | null, by: string): Promise<void> {
    this.#label(name, which);
    const command = override === null || override === "" ? null : checkedCommand(override);
    const said = command === null ? "clears the override of" : `overrides by ${JSON.stringify(shortened(command, 200))}`;
    return this.#change(
      { name, by },
      withOverride(this.of(name), which, command),
      `'${by}' ${said} the command '${which}' of process '${name}'`,
    );
  }

  /** Resolves with the value after the change. */
  async setAttribute(name: string, attribute: Attribute, value: AttributeValue, by: string): Promise<AttributeValue> {
    this.#definition(name);
    const set = attribute === "svc_debug" ? value === true : this.#tool(value);
    await this.#change({ name, by }, { [attribute]: set }, `'${by}' sets ${attribute} of process '${name}' to ${JSON.stringify(set)}`);
    return set;
  }

  setFlag(name: string, flag: OutputFlag, enabled: boolean, by: string): Promise<void> {
    this.#definition(name);
    return this.#change({ name, by }, { [flag]: enabled }, `'${by}' turns ${flag} of process '${name}' ${enabled ? "on" : "off"}`);
  }

  async #change({ name, by }: { name: string; by: string }, patch: Partial<ProcessSettings>, msg: string): Promise<void> {
    const settings = { ...this.of(name), ...patch };
    this.#keeper.set(name, { settings });
    this.#log.append({ level: "info", source: "manager", msg, action: { kind: "command", by, name } });
    this.#apply(name, settings);
    await this.#keeper.flush();
  }

  #definition(name: string): ProcessDefinition {
    this.#check(name);
    const definition = this.#config().processes.get(name);
    if (!definition) throw new MgrError("not_found", `there is no process '${name}'`);
    return definition;
  }

  #label(name: string, which: string): void {
    const { alternate_commands } = this.#definition(name);
    if (which === PRIMARY || alternate_commands.has(which)) return;
    const known = [PRIMARY, ...alternate_commands.keys()].map((label) => `'${label}'`).join(", ");
    throw new MgrError("not_found", `process '${name}' has no command '${which}'; it has ${known}`);
  }

  #tool(value: AttributeValue): string | null {
    if (value === null || value === "") return null;
    const values = this.#findTools().flatMap((tool) => tool.value ?? []);
    if (typeof value === "string" && values.includes(value)) return value;
    throw new MgrError("not_found", `there is no start tool '${value}' here; there are ${values.map((each) => `'${each}'`).join(", ")}`);
  }
}

function checkedCommand(override: string): string {
  try {
    toCommand(override);
    return override;
  } catch (error) {
    if (error instanceof MgrError) throw new MgrError("bad_field", `override ${error.message}`, { cause: error });
    throw error;
  }
}
