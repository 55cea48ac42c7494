import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { ask, frames$ } from "../../state/store.ts";

export type Overview = Extract<ManagerFrame, { type: "notifications" }>;

/** Shortest time between two requests, ms: many changes can follow each other. */
const MIN_INTERVAL_MS = 500;

/** The state of notifications, requested again when it has changed and after a reconnect. */
export function useOverview(): { overview: Overview | null; problem: string | null } {
  const [overview, setOverview] = useState<Overview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    let isBusy = false;
    let isDue = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async () => {
      if (isBusy) {
        isDue = true;
        return;
      }
      isBusy = true;
      try {
        const answer = await ask({ type: "request_notifications" }, "notifications");
        if (isOver) return;
        setOverview(answer);
        setProblem(null);
      } catch (error) {
        if (!isOver) setProblem(messageOf(error));
      }
      timer = setTimeout(() => {
        isBusy = false;
        if (isDue && !isOver) {
          isDue = false;
          void load();
        }
      }, MIN_INTERVAL_MS);
    };
    void load();
    const frames = frames$.subscribe(({ type }) => {
      if (type === "notifications_changed" || type === "snapshot") void load();
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      frames.unsubscribe();
    };
  }, []);
  return { overview, problem };
}
