import type { NetworkLink } from "../../../src/protocol/resources/resources.ts";
import { bytesText } from "../data/words.ts";

/** Rate of bytes for a reader: "28 MB/s". */
export const byteRate = (bytes: number): string => (bytes === 0 ? "0" : `${bytesText(bytes)}/s`);

/** Count a second for a reader: "0", "0.4", "1,200". */
export function countRate(count: number): string {
  if (count === 0) return "0";
  if (count >= 100) return Math.round(count).toLocaleString("en-US");
  return count < 0.05 ? "< 0.1" : count.toFixed(count < 10 ? 1 : 0);
}

/** Speed of an interface as its maker writes it: "1 Gbit/s". */
export function speedText(bits: number | null): string {
  if (bits === null) return "";
  return bits >= 1e9 ? `${bits / 1e9} Gbit/s` : `${bits / 1e6} Mbit/s`;
}

export const percentText = (part: number): string => `${(part * 100).toFixed(1)} %`;

/** Age of values: "42 s old", "3 min old". */
export function ageText(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s old`;
  return seconds < 3_600 ? `${Math.round(seconds / 60)} min old` : `${Math.round(seconds / 3_600)} h old`;
}

export type LinkKind = NetworkLink["children"][number]["kind"];

/** What the parts of links are called: one, and all of a kind. */
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
