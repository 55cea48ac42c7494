import type { NetworkLink } from "../../../../src/features/network-statistics/wire.ts";

export const percentText = (part: number): string => `${(part * 100).toFixed(1)} %`;

/** Age of values: "42 s old", "3 min old". */
export function ageText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s old`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} min old` : `${Math.round(seconds / 3_600)} h old`;
}

export type LinkKind = NetworkLink["children"][number]["kind"];

/** Names of the kinds of a link's parts: of one part, and of all parts of the kind. */
export const KIND_WORDS: Readonly<Record<LinkKind, readonly [string, string]>> = {
  topic: ["topic", "Topics"],
  service: ["service", "Services"],
  tcp_forward: ["forward", "Forwards"],
  daemon: ["daemon", "Daemons"],
  client: ["client", "Clients"],
  mgr_remote: ["remote control", "Remote control"],
  web: ["browser", "Browsers"],
};
export const LINK_KINDS = Object.keys(KIND_WORDS) as LinkKind[];
