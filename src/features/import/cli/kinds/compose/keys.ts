import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { always, applyRules, type Conversion, carry, drop, type KeyEntry, type Rules } from "../../model/conversion.ts";
import { UnfitValue } from "../../model/failure.ts";
import { asList, asMap, type Tree } from "../../model/tree.ts";
import { flag, integer, number, signal, size, spanText, text, textNow, texts, variables } from "../../model/values.ts";
import { commandOf, splitWords } from "../../text/words.ts";
import type { ServiceConversion } from "./service.ts";

/** Docker restarts without a limit unless one is given. */
const NO_LIMIT = 1_000_000;

const wordsOf = (tree: Tree | undefined): string[] =>
  tree === undefined || tree.value === null ? [] : Array.isArray(tree.value) ? texts(tree) : splitWords(text(tree));

const POLICIES: Readonly<Record<string, string>> = {
  no: "never",
  false: "never",
  none: "never",
  always: "always",
  any: "always",
  "unless-stopped": "always",
  "on-failure": "on-failure",
};

function restartPolicy(entry: KeyEntry, written: string, context: Conversion): void {
  const [policy = "", count] = written.split(":");
  const to = POLICIES[policy];
  if (to === undefined) throw new UnfitValue(`'${written}' is not a restart policy`);
  context.draft.set("restart.policy", to);
  if (to !== "never") context.draft.set("restart.max_restarts", count === undefined ? NO_LIMIT : Number(count));
  context.carried(entry, "restart.policy");
}

const CONDITIONS: Readonly<Record<string, "started" | "ready" | "completed">> = {
  service_started: "started",
  service_healthy: "ready",
  service_completed_successfully: "completed",
};

const healthcheck: Rules<Conversion> = {
  test: (entry, context) => {
    const words = Array.isArray(entry.tree.value) ? texts(entry.tree) : ["CMD-SHELL", text(entry.tree)];
    const [kind = "", ...rest] = words;
    if (kind === "NONE") return;
    if (kind !== "CMD" && kind !== "CMD-SHELL") throw new UnfitValue("the list does not begin with CMD, CMD-SHELL or NONE");
    context.draft.set("ready.exec", kind === "CMD" ? commandOf(rest) : rest.join(" "));
    context.carried(entry, "ready.exec");
  },
  interval: carry("ready.interval", spanText),
  timeout: carry("ready.timeout", spanText),
  retries: drop(
    "the probe is repeated until it succeeds, and a service that becomes unhealthy later is not noticed",
    "add 'alive' with the same command",
  ),
  start_period: drop(
    "the probe begins at once, and failures before the first success do not matter",
    "set ready_timeout for the longest time",
  ),
  start_interval: drop("there is one interval"),
  disable: (entry, context) => {
    if (flag(entry.tree)) context.draft.settings.delete("ready");
  },
};

const cpus = carry("cgroup.cpu_max", (tree) => `${Number((number(tree) * 100).toFixed(2))}%`);
const limits: Rules<Conversion> = {
  memory: carry("cgroup.memory_max", size),
  cpus,
  pids: carry("limits.nproc", integer),
};
const deploy: Rules<Conversion> = {
  replicas: always("one process for each"),
  resources: (entry, context) =>
    applyRules(
      entry.tree,
      {
        limits: (inner) => applyRules(inner.tree, limits, context, { path: inner.key, fallback: drop("cgroup has no such limit") }),
        reservations: drop("nothing is reserved for a process"),
      },
      context,
      { path: entry.key },
    ),
  restart_policy: (entry, context) =>
    applyRules(
      entry.tree,
      {
        condition: (inner) => restartPolicy(inner, text(inner.tree), context),
        delay: carry("restart.delay", spanText),
        max_attempts: carry("restart.max_restarts", integer),
        window: carry("restart.reset_after", spanText),
      },
      context,
      { path: entry.key },
    ),
};

/** Rules of the keys of a service that mean something without a container. */
export const SERVICE_RULES: Rules<ServiceConversion> = {
  entrypoint: (entry, context) => command(entry, context),
  command: (entry, context) => {
    if (!context.section.has("entrypoint")) command(entry, context);
    else context.carried(entry, "command");
  },
  image: (entry, context) =>
    context.guessed(entry, "command", `the program of the image '${text(entry.tree)}' has to be installed on this machine`),
  build: (entry, context) => {
    if (!context.section.has("image"))
      context.guessed(entry, "command", "the program of the built image has to be installed on this machine");
  },
  environment: (entry, context) => {
    for (const { name, value, tree } of variables(entry.tree)) {
      if (value === null) context.draft.add("pass_environment", name);
      else {
        context.draft.variable(name, value);
        const service = context.serviceIn(textNow(tree).replace(/^\w+=/, ""), { alone: true });
        if (service !== null)
          context.guessed(
            { key: `${entry.key}.${name}`, place: tree.place },
            "environment",
            `${name} names the host '${service}', which is localhost here`,
          );
      }
    }
    context.carried(entry, "environment");
  },
  env_file: (entry, context) => {
    for (const item of Array.isArray(entry.tree.value) ? asList(entry.tree) : [entry.tree]) {
      const path = asMap(item).get("path") ?? item;
      const required = asMap(item).get("required");
      const isMissing = !existsSync(resolve(context.environment.paths.source, textNow(path)));
      if (required !== undefined && !flag(required) && isMissing) context.dropped(entry, "a file that may be missing is missing");
      else context.draft.add("env_file", context.environment.paths.of(path));
      if (asMap(item).has("format")) context.guessed(entry, "env_file", "the file is read in mgr's own way, whatever its format");
    }
    context.carried(entry, "env_file");
  },
  working_dir: (entry, context) => {
    const folder = context.onThisMachine(textNow(entry.tree));
    if (folder === null)
      return context.dropped(entry, `'${textNow(entry.tree)}' is a folder of the container`, "set cwd to the folder of this machine");
    context.draft.set("cwd", folder);
    context.guessed(entry, "cwd", "the folder that was mounted there");
  },
  user: (entry, context) => {
    context.draft.set("user", text(entry.tree).split(":")[0]);
    context.guessed(entry, "user", "a user of the container; here it must be one of this machine, and the manager must run as root");
  },
  restart: (entry, context) => restartPolicy(entry, text(entry.tree), context),
  depends_on: (entry, context) => {
    if (Array.isArray(entry.tree.value)) {
      for (const item of asList(entry.tree))
        context.draft.dependencies.push({
          entry: { key: entry.key, place: item.place },
          on: text(item),
          condition: "started",
          onStop: "keep",
          guess: null,
        });
      return;
    }
    for (const [on, how] of asMap(entry.tree)) {
      const written = asMap(how).get("condition");
      const condition = CONDITIONS[written === undefined ? "service_started" : text(written)];
      if (condition === undefined) throw new UnfitValue(`'${written === undefined ? "" : text(written)}' is not a condition`);
      const restart = asMap(how).get("restart");
      const onStop = restart !== undefined && flag(restart) ? "restart" : "keep";
      context.draft.dependencies.push({ entry: { key: `${entry.key}.${on}`, place: how.place }, on, condition, onStop, guess: null });
    }
  },
  healthcheck: (entry, context) => applyRules(entry.tree, healthcheck, context, { path: entry.key }),
  stop_signal: carry("stop.signal", signal),
  stop_grace_period: carry("stop.timeout", spanText),
  deploy: (entry, context) =>
    applyRules(entry.tree, deploy, context, { path: entry.key, fallback: drop("it is about a cluster of containers") }),
  mem_limit: carry("cgroup.memory_max", size),
  cpus,
  pids_limit: carry("limits.nproc", integer),
  cpuset: carry("scheduling.affinity", text),
  ulimits: (entry, context) => {
    for (const [name, limit] of asMap(entry.tree)) {
      const hard = asMap(limit).get("hard") ?? limit;
      const value = integer(hard);
      context.draft.set(`limits.${name}`, value < 0 ? "unlimited" : value);
      if (asMap(limit).has("soft")) context.guessed(entry, "limits", `soft and hard limit of ${name} are the same here: the hard one`);
      else context.carried(entry, `limits.${name}`);
    }
  },
  scale: always("one process for each"),
  tty: always("each process has a terminal"),
  stdin_open: always("each process has a terminal"),
  init: always("the daemon reaps what a process leaves behind"),
  container_name: drop("the process has the name of the service"),
  profiles: (entry, context) => {
    context.draft.set("autostart", false);
    context.draft.set("tags", texts(entry.tree));
    context.carried(entry, "tags");
    context.guessed(entry, "autostart", `it starts on request only, because it belongs to the profiles ${texts(entry.tree).join(", ")}`);
  },
  ports: drop(
    "ports are not mapped: the program itself has to listen on the port that clients use",
    "set the port in its command or environment",
  ),
  expose: drop("each port of a program can be reached on this machine"),
  volumes: drop("folders are not mounted", "use the paths of this machine in the command and the environment"),
  secrets: drop("there is no /run/secrets", "name the file itself in the environment, or use env_file"),
  configs: drop("files are not mounted", "name the file itself in the command"),
  logging: drop("mgr keeps the output itself (mgr logs)", "set log_file for a file"),
  labels: drop("processes have no labels", "tags, for rules of notifications"),
};

function command(entry: KeyEntry, context: ServiceConversion): void {
  const words = [...wordsOf(context.section.get("entrypoint")), ...wordsOf(context.section.get("command"))];
  if (words.length === 0) throw new UnfitValue("it is empty: the image decides what runs");
  context.draft.set("command", commandOf(words));
  context.carried(entry, "command");
  const service = words.map((word) => context.serviceIn(word, { alone: false })).find((name) => name !== null);
  if (service !== undefined) context.guessed(entry, "command", `the command names the host '${service}', which is localhost here`);
}
