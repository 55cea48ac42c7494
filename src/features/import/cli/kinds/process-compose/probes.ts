import { applyRules, type Conversion, drop, type KeyEntry, type Rules } from "../../model/conversion.ts";
import { UnfitValue } from "../../model/failure.ts";
import { asMap, type Tree } from "../../model/tree.ts";
import { number, seconds, text, textNow } from "../../model/values.ts";

/** A readiness or liveness probe: `ready` or `alive`. */
export function convertProbe(to: "ready" | "alive", entry: KeyEntry, context: Conversion): void {
  const probe = asMap(entry.tree);
  if (!probe.has("exec") && !probe.has("http_get")) throw new UnfitValue("the probe has neither 'exec' nor 'http_get'");
  applyRules(entry.tree, rules(to), context, { path: entry.key });
}

function rules(to: "ready" | "alive"): Rules<Conversion> {
  const pace =
    (key: string): Rules<Conversion>[string] =>
    (entry, context) => {
      // Zero means the default there.
      if (number(entry.tree) === 0) return;
      context.draft.set(`${to}.${key}`, seconds(entry.tree));
      context.carried(entry, `${to}.${key}`);
    };
  const unless =
    (value: number, why: string): Rules<Conversion>[string] =>
    (entry, context) => {
      if (number(entry.tree) !== value) context.dropped(entry, why);
    };
  return {
    exec: (entry, context) => {
      const { command, working_dir } = Object.fromEntries(asMap(entry.tree)) as Record<string, Tree | undefined>;
      if (command === undefined) throw new UnfitValue("has no 'command'");
      context.draft.set(`${to}.exec`, working_dir === undefined ? text(command) : `cd "${text(working_dir)}" && ${text(command)}`);
      context.carried(entry, `${to}.exec`);
    },
    http_get: (entry, context) => {
      const { host, scheme, port, num_port, path, headers, status_code, ...rest } = Object.fromEntries(asMap(entry.tree)) as Record<
        string,
        Tree | undefined
      >;
      const [protocol, name, where] = [optional(scheme) ?? "http", optional(host) ?? "localhost", optional(path) ?? "/"];
      const number = optional(num_port) ?? optional(port);
      const address = `${protocol.toLowerCase()}://${name}${number === null ? "" : `:${number}`}${where.startsWith("/") ? "" : "/"}${where}`;
      context.draft.set(`${to}.http`, address);
      context.carried(entry, `${to}.http`);
      if (status_code !== undefined) context.draft.set(`${to}.status`, Number(textNow(status_code)));
      if (headers !== undefined) context.draft.set(`${to}.header`, new Map([...asMap(headers)].map(([key, value]) => [key, text(value)])));
      for (const key of Object.keys(rest)) context.dropped({ ...entry, key: `${entry.key}.${key}` }, "this key is not known to mgr import");
    },
    period_seconds: pace("interval"),
    timeout_seconds: pace("timeout"),
    failure_threshold:
      to === "alive"
        ? (entry, context) => {
            context.draft.set("alive.failures", number(entry.tree));
            context.carried(entry, "alive.failures");
          }
        : drop("the probe is repeated until it succeeds", "set ready_timeout for the longest time"),
    initial_delay_seconds:
      to === "alive"
        ? drop("the probe begins when the process is ready", "give the process a ready condition")
        : unless(0, "the probe begins at once, and failures before the first success do not matter"),
    success_threshold: unless(1, "one success is enough here"),
  };
}

function optional(tree: Tree | undefined): string | null {
  return tree === undefined || tree.value === null ? null : text(tree);
}
