import { ageText } from "../data-plane/trace-text.ts";
import type { KeptTopic } from "./wire.ts";

/** Why samples wait, in a few words; "" if none does. */
export function stateText({ state, wait_ms }: Pick<KeptTopic, "state" | "wait_ms">): string {
  const wait = wait_ms === null ? "" : ` in ${(wait_ms / 1_000).toFixed(1)} s`;
  switch (state) {
    case "empty":
      return "";
    case "link_cut":
      return "the link is cut";
    case "no_subscriber":
      return "no program of another host asks for late samples";
    case "unconfirmed":
      return `no subscriber confirms them; sent again${wait}`;
    case "share_used":
      return `being sent; the share of the link is used up, next part${wait}`;
    case "sending":
      return "being sent";
  }
}

/** What a host keeps of a topic: "5,000 samples wait, the oldest from 12 s ago: the link is cut; 20 sent late, 3 dropped". */
export function keptText(kept: KeptTopic): string {
  const { samples, oldest_age_ms, sent, dropped } = kept;
  const number = (value: number) => value.toLocaleString("en-US");
  const waiting =
    samples === 0
      ? "no sample waits"
      : `${number(samples)} ${samples === 1 ? "sample waits" : "samples wait"}, the oldest from ${ageText(oldest_age_ms)}: ${stateText(kept)}`;
  return `${waiting}; ${number(sent)} sent late, ${number(dropped)} dropped`;
}
