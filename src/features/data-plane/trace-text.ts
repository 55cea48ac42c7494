import type { TraceStep } from "./wire/topic-trace.ts";

/** The client with its host, the host of the broker or store, or both ends of the link. */
export function placeText({ kind, name, host }: Pick<TraceStep, "kind" | "name" | "host">): string {
  return host === null || kind === "broker" || kind === "store" ? name : `${name} on ${host}`;
}

/** Time since the last message: "0.5 s ago"; "-" if it is not known. */
export function ageText(ms: number | null): string {
  return ms === null ? "-" : `${ms < 9_950 ? (ms / 1_000).toFixed(1) : Math.round(ms / 1_000)} s ago`;
}
