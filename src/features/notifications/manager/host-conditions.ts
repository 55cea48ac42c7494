import type { DomainEvent } from "../../../actors/domain-events.ts";
import type { Conditions } from "../../../app/conditions.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { HostEntry } from "../../../protocol/resources/resources.ts";

const KIND = "host_lost";
const WORDS: Partial<Record<HostEntry["state"], string>> = {
  lost: "does not answer",
  died: "has lost its daemon",
  incompatible: "runs a daemon of another version",
};

/** Raises a condition for each host that does not answer. While it is greeted again, nothing is decided. */
export function observeHost(conditions: Pick<Conditions, "raise" | "clear">, event: DomainEvent): void {
  if (event.type === "host_remove") conditions.clear({ kind: KIND, process: null, host: event.name }, "ended");
  if (event.type !== "host_upsert") return;
  const { name, state } = event.host;
  const words = WORDS[state];
  const which = { kind: KIND, process: null, host: name };
  if (words !== undefined) conditions.raise({ ...which, text: `host ${visible(name)} ${words}` });
  else if (state === "ready") conditions.clear(which, "recovered");
}
