import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import type { StartAnalysis } from "../../../../src/features/start-analysis/wire.ts";
import { allProcesses, ask, connection } from "../../state/store.ts";

/** Pause before the analysis is requested again while a start is under way, ms; a group of thousands changes all the time meanwhile. */
const REFRESH_MS = 1_000;

export interface ShownAnalysis {
  readonly analysis: StartAnalysis | null;
  /** The reason why there is none, or no newer one. */
  readonly problem: string | null;
  /** When it was received, ms since 1970. */
  readonly at: number;
}

const NOTHING: ShownAnalysis = { analysis: null, problem: null, at: 0 };

/** The last start of a process or group, of all if `name` is empty. Requested again when states of the processes change. */
export function useAnalysis(name: string): ShownAnalysis {
  const [shown, setShown] = useState<ShownAnalysis & { name: string }>({ ...NOTHING, name });
  const isOpen = connection.value.kind === "open";
  const states = statesOf(name);
  useEffect(() => {
    if (!isOpen) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      const next = await askOnce(name);
      if (isOver) return;
      setShown((before) => ({ ...next, analysis: next.analysis ?? (before.name === name ? before.analysis : null), name }));
      if (next.analysis?.settled === null && next.analysis.requested !== null) timer = setTimeout(load, REFRESH_MS);
    };
    // Changes of many processes come together.
    timer = setTimeout(load, shown.at === 0 || shown.name !== name ? 0 : REFRESH_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [name, isOpen, states]);
  return shown.name === name ? shown : NOTHING;
}

/** The states of the processes as a key: it changes with them. */
function statesOf(name: string): string {
  return allProcesses()
    .filter((process) => name === "" || process.name === name || process.name.startsWith(`${name}/`))
    .map(({ state, start_time }) => `${state} ${start_time}`)
    .join();
}

async function askOnce(name: string): Promise<ShownAnalysis> {
  try {
    const analysis = await ask({ type: "request_start_analysis", ...(name === "" ? {} : { name }) }, "start_analysis");
    return { analysis, problem: null, at: Date.now() };
  } catch (error) {
    return { ...NOTHING, problem: messageOf(error) };
  }
}
