import { displayName } from "../base/text/names.ts";
import type { ProcessDefinition, StartToolSetting } from "../config/definition.ts";
import { effectiveCommand, selectedLabel } from "../config/effective-command.ts";
import { findTool, NO_TOOL } from "../config/start-tools.ts";
import { overrideOf, PRIMARY, type ProcessSettings } from "../config/state/process-settings.ts";
import type { Process, ProcessState } from "../protocol/resources/resources.ts";
import { formatTime } from "../protocol/time.ts";
import { runLives } from "./process/process-context.ts";
import type { ProcessContext } from "./process/process-types.ts";

export interface Surroundings {
  /** Canonical name of the host of the process's node. */
  readonly host: string;
  /** Whether its daemon accepts commands. */
  readonly hostReady: boolean;
  /** The configured start tools. */
  readonly startTools: readonly StartToolSetting[];
  readonly needsRestart: boolean;
  /** The fields that features add to a running process. */
  readonly featureFields: (memo: string) => Partial<Process>;
}

/** States between a failure and a run that lasts. */
const COMES_BACK: ReadonlySet<ProcessState> = new Set<ProcessState>(["backoff", "waiting", "starting", "started", "ready"]);

/** Values without a feature that selects displays. */
const NO_X_DISPLAY = { x_display_kind: null, x_display: null, x_display_username: null, x_display_peer: null, x_display_reason: null };

/** The resource of a process. */
export function toProcess(context: ProcessContext, surroundings: Surroundings): Process {
  const { host, hostReady, startTools, needsRestart, featureFields } = surroundings;
  const { definition, exit, nextStart, run, settings } = context;
  const lives = runLives(context);
  return {
    name: definition.name,
    state: context.shown,
    ...request(context),
    pid: lives && run !== null ? run.pid : null,
    host,
    ...configuredFields(context, startTools),
    running_command: lives ? (run?.command ?? null) : null,
    needs_restart: needsRestart,
    svc_debug: settings.svc_debug,
    ...NO_X_DISPLAY,
    ...(lives && run !== null ? featureFields(run.memo) : {}),
    // A living run keeps the condition that it was started with: a reload never re-evaluates it.
    has_ready_state: (lives ? context.runDefinition : definition).ready !== null,
    ...runTimes(context),
    exit: exit && { code: exit.code, signal: exit.signal, reason: exit.reason, time: formatTime(exit.time) },
    restarts: context.restarts,
    restarting: context.unstable && context.requested === "start" && COMES_BACK.has(context.shown),
    next_start_time: nextStart && formatTime(nextStart.time),
    waiting_for: [...context.waitingFor],
    low_delay_output: settings.low_delay_output,
    no_skip_display: settings.no_skip_display,
    host_ready: hostReady,
  };
}

function request({
  requested,
  origin,
}: ProcessContext): Pick<Process, "requested_state" | "requested_by" | "requested_time" | "stopped_with"> {
  const known = origin?.by ? origin : null;
  return {
    requested_state: requested,
    requested_by: known?.by ?? null,
    requested_time: known && formatTime(known.time),
    stopped_with: known?.stoppedWith ?? null,
  };
}

type ConfiguredFields = ReturnType<typeof fieldsOf>;

/** Cached fields of each definition, and the choices they were made from: a process is projected for each of its steps, which change neither. */
const configured = new WeakMap<
  ProcessDefinition,
  { settings: ProcessSettings; startTools: readonly StartToolSetting[]; fields: ConfiguredFields }
>();

function configuredFields({ definition, settings }: ProcessContext, startTools: readonly StartToolSetting[]): ConfiguredFields {
  const known = configured.get(definition);
  if (known?.settings === settings && known.startTools === startTools) return known.fields;
  const fields = fieldsOf({ definition, settings }, startTools);
  configured.set(definition, { settings, startTools, fields });
  return fields;
}

function fieldsOf(chosen: Pick<ProcessContext, "definition" | "settings">, startTools: readonly StartToolSetting[]) {
  const { definition } = chosen;
  return {
    display_name: displayName(definition.name),
    node: definition.node,
    ...commandFields(chosen, startTools),
    depends_on: definition.depends_on.map((dependency) => dependency.name),
    stops_with: definition.depends_on.flatMap(({ name, on_stop }) => (on_stop === "keep" ? [] : name)),
    autostart: definition.autostart,
    confirm: definition.confirm || definition.essential,
  };
}

/** The command of the next start, which may differ from that of the living run. */
function commandFields({ definition, settings }: Pick<ProcessContext, "definition" | "settings">, startTools: readonly StartToolSetting[]) {
  const { command, alternate_commands } = definition;
  const labels = [...alternate_commands.keys()];
  const { start_tool } = settings;
  return {
    command: command.text,
    command_override: overrideOf(settings, PRIMARY),
    alternate_commands: [
      [PRIMARY, command.text] as [string, string],
      ...[...alternate_commands].map(([label, { text }]): [string, string] => [label, text]),
    ],
    alternate_command_overrides: Object.fromEntries(
      labels.flatMap((label) => {
        const override = overrideOf(settings, label);
        return override === null ? [] : [[label, override] as const];
      }),
    ),
    current_alternate_command: selectedLabel(definition, settings),
    current_command: effectiveCommand(definition, settings, startTools).text,
    start_tool: start_tool === NO_TOOL || (start_tool !== null && findTool(startTools, start_tool) !== null) ? start_tool : null,
  };
}

/** Times of the newest run, by its host's clock. A run that was lost with its daemon ended when the manager noticed. */
function runTimes({ run, runGone, exit }: ProcessContext): Pick<Process, "start_time" | "stop_time"> {
  if (run === null) return { start_time: null, stop_time: null };
  const stop = run.stop_time ?? (runGone && exit ? exit.time : null);
  return { start_time: formatTime(run.start_time), stop_time: stop === null ? null : formatTime(stop) };
}
