import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, connection } from "../../../state/store.ts";
import type { Trace } from "./traces.ts";
import { unitOf } from "./units.ts";

/** Texts of definitions, by topic. */
const definitions = signal<ReadonlyMap<string, string>>(new Map());

/** Units of fields from the definitions of their topics; null until they are known. */
export function useUnits(traces: readonly Trace[]): (trace: Trace) => string | null {
  const topics = [...new Set(traces.map(({ topic }) => topic))];
  // Requests are refused while the page is still connecting.
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (isOpen) for (const name of topics) void learn(name);
  }, [topics.join("\n"), isOpen]);
  const known = definitions.value;
  return ({ topic, field }) => unitOf(known.get(topic) ?? "", field);
}

async function learn(name: string): Promise<void> {
  if (definitions.peek().has(name)) return;
  // A topic that is not published now has no definition.
  const detail = await ask({ type: "request_topic_detail", name }, "topic_detail").catch(() => null);
  if (detail?.ok) definitions.value = new Map(definitions.peek()).set(name, detail.definition);
}
