import { policyName } from "../base/scheduling-policies.ts";
import { quoteWords } from "../base/text/shell-words.ts";
import type { Probe, Program, ReadyCondition, StopStep } from "../contract/run.ts";
import type { ProcessDefinition } from "./definition.ts";
import { describeFeatureProbe, describeProcessParts, type PROCESS_KEYS } from "./features.ts";
import type { ProcessKeys } from "./schema/schema-process.ts";
import { durationText } from "./schema/units.ts";

/** Names of variables with secret values. */
const SECRET_NAME = /token|passw|secret|credential|api_?key/i;

/** `environment` with `***` for values whose names suggest a secret. */
export function withoutSecrets(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, SECRET_NAME.test(name) ? "***" : value]));
}

/** Every key of the schema, so that a new one cannot be forgotten. Features describe their own; `extends` and `shell` only control how others are read. */
type DescribedKey = Exclude<keyof ProcessKeys, keyof typeof PROCESS_KEYS | "extends" | "shell">;

/** A definition with all its defaults, in the keys and units of the configuration file. Keys that are not set are omitted. */
export function describeDefinition(definition: ProcessDefinition): Record<string, unknown> {
  const { terminal, scheduling, restart, log_file, alive } = definition;
  const described = {
    node: definition.node,
    command: definition.command.text,
    alternate_commands: Object.fromEntries([...definition.alternate_commands].map(([label, { text }]) => [label, text])),
    cwd: definition.cwd,
    environment: withoutSecrets(definition.environment),
    pass_environment: [...definition.pass_environment],
    env_file: [...definition.env_files],
    user: definition.user,
    umask: definition.umask === null ? null : octal(definition.umask).slice(-3),
    limits: Object.fromEntries(Object.entries(definition.limits).map(([name, limit]) => [name, limit?.soft ?? "unlimited"])),
    scheduling: scheduling && {
      policy: scheduling.policy === null ? null : policyName(scheduling.policy),
      prio: scheduling.prio,
      affinity: scheduling.affinity?.join(",") ?? null,
      nice: scheduling.nice,
    },
    terminal: { ...terminal },
    ready: definition.ready && describeReady(definition.ready),
    ready_timeout: definition.ready_timeout === null ? "none" : durationText(definition.ready_timeout),
    alive: alive && { ...describeProbe(alive.probe, "alive"), failures: alive.failures },
    depends_on: Object.fromEntries(definition.depends_on.map(({ name, condition, on_stop }) => [name, { condition, on_stop }])),
    restart: {
      ...restart,
      delay: durationText(restart.delay),
      max_delay: durationText(restart.max_delay),
      window: durationText(restart.window),
      reset_after: durationText(restart.reset_after),
      stable_after: durationText(restart.stable_after),
    },
    stop: describeStop(definition.stop),
    success_exit_codes: [...definition.success_exit_codes],
    autostart: definition.autostart,
    essential: definition.essential,
    confirm: definition.confirm,
    watch: [...definition.watch],
    output_on_disk: definition.output_on_disk,
    log_file: log_file && { ...log_file, ...(log_file.mode === undefined ? {} : { mode: octal(log_file.mode) }) },
    ...describeProcessParts(definition),
    start_tool: definition.start_tool,
  } satisfies Record<DescribedKey, unknown>;
  return Object.fromEntries(Object.entries(described).filter(([, value]) => value !== null));
}

function describeReady(ready: ReadyCondition): Record<string, unknown> {
  if (ready.kind === "regex") return { regex: ready.pattern };
  if (ready.kind === "time") return { time: durationText(ready.ms) };
  return describeProbe(ready, "ready");
}

function describeProbe(probe: Probe, place: "ready" | "alive"): Record<string, unknown> {
  const pace = { interval: durationText(probe.interval_ms), timeout: durationText(probe.timeout_ms) };
  switch (probe.kind) {
    case "tcp":
      return { tcp: `${probe.host}:${probe.port}`, ...pace };
    case "http":
      return {
        http: probe.url,
        ...(probe.status === null ? {} : { status: probe.status }),
        header: withoutSecrets(probe.headers),
        ...pace,
      };
    case "exec":
      return { exec: textOf(probe.program), ...pace };
    default:
      return describeFeatureProbe(probe, place);
  }
}

/** The first step is configured; the others follow automatically. */
function describeStop([step]: readonly StopStep[]): Record<string, unknown> {
  if (step === undefined) return {};
  const timeout = durationText(step.timeout_ms);
  if ("signal" in step) return { signal: step.signal, timeout };
  return "send" in step ? { send: step.send, timeout } : { command: textOf(step.program), timeout };
}

function textOf(program: Program): string {
  return program.kind === "exec" ? quoteWords(program.argv) : program.line;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
