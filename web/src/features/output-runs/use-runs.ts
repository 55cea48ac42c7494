import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import { type ShownRun, shownRuns } from "../../../../src/client/shown/run-list.ts";
import { ask, connection, processOf } from "../../state/store.ts";
import { now } from "../../ui/time.ts";

type Detail = Parameters<typeof shownRuns>[0];

/** The last runs of a process, newest first, requested again at each change of its state; null: not known yet. */
export function useRuns(name: string): { runs: ShownRun[] | null; problem: string | null } {
  const [detail, setDetail] = useState<Detail | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const process = processOf(name);
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    let isOver = false;
    if (!isOpen) return;
    ask({ type: "request_process_detail", name }, "process_detail")
      .then((answer) => {
        if (isOver) return;
        setProblem(answer.ok ? null : answer.message);
        if (answer.ok) setDetail(answer);
      })
      .catch((error: unknown) => !isOver && setProblem(messageOf(error)));
    return () => {
      isOver = true;
    };
  }, [name, isOpen, process?.state, process?.pid, process?.stop_time]);
  const isRunning = detail?.history[0]?.stop_time === null;
  // Only the length of a run that has not ended depends on the time.
  const time = isRunning ? now.value : 0;
  return { runs: detail === null ? null : shownRuns(detail, new Date(time).toISOString().slice(0, -1)), problem };
}
