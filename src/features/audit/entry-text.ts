import type { AuditEntry } from "./wire.ts";

/** How a command came: by the page, the command line, a script … */
export function throughText({ via, client }: Pick<AuditEntry, "via" | "client">): string {
  if (via === "in-process") return client ?? "the manager";
  if (client === "browser") return via === "token" ? "another page" : "page";
  if (client === "mgr") return "command line";
  return client ?? "script";
}

/** The arguments as `name=value`. */
export function argumentsText({ args }: Pick<AuditEntry, "args">): string {
  return Object.entries(args)
    .map(([name, value]) => `${name}=${typeof value === "string" && /^[\w./:*@+-]+$/.test(value) ? value : JSON.stringify(value)}`)
    .join(" ");
}

/** The outcome in words. */
export function outcomeText({ outcome, code, message }: Pick<AuditEntry, "outcome" | "code" | "message">): string {
  if (outcome === "refused") return `refused (${code ?? "internal"}): ${message ?? ""}`;
  if (outcome === "running") return "not finished";
  return outcome === "unknown" ? "unknown: the manager ended" : "accepted";
}
