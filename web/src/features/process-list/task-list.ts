import { type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { messageOf } from "../../../../src/base/errors.ts";
import type { TaskColumn, TaskRow } from "../../../../src/features/process-list/wire.ts";
import { ask, connection } from "../../state/store.ts";

export interface TaskQuestion {
  host: string;
  threads: boolean;
  env: boolean;
  filter: string;
  /** Pause between two requests, ms; 0: the list is requested once. */
  every: number;
}

export interface TaskList {
  columns: TaskColumn[];
  rows: TaskRow[];
  /** The reason why there is no list, or no newer one. */
  problem: string | null;
  isLoading: boolean;
}

const EMPTY: TaskList = { columns: [], rows: [], problem: null, isLoading: true };

/** The tasks of a host, refreshed while the view is shown. `again` refreshes now. */
export function useTaskList({ host, threads, env, filter, every }: TaskQuestion): { list: Signal<TaskList>; again: () => void } {
  const list = useRef(signal<TaskList>(EMPTY)).current;
  const wake = useRef<() => void>(() => {});
  /** Whether `again` was called since the last request: the pending answer may be older than the reason for the call. */
  const isRequested = useRef(false);
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (host === "" || !isOpen) return;
    let isGone = false;
    const follow = async () => {
      list.value = { ...list.value, isLoading: true };
      while (!isGone) {
        isRequested.current = false;
        const answer = await askOnce({ host, threads, env, filter });
        if (isGone) return;
        list.value = typeof answer === "string" ? { ...list.value, problem: answer, isLoading: false } : answer;
        if (!isRequested.current) await pause(every, wake);
      }
    };
    void follow();
    return () => {
      isGone = true;
      wake.current();
    };
  }, [host, threads, env, filter, every, isOpen, list]);
  const again = () => {
    isRequested.current = true;
    wake.current();
  };
  return { list, again };
}

/** Requests the list once; resolves with the reason if there is none. */
async function askOnce({ host, threads, env, filter }: Omit<TaskQuestion, "every">): Promise<TaskList | string> {
  try {
    const answer = await ask({ type: "request_process_list", host, show_threads: threads, show_env: env, filter }, "process_list");
    return answer.ok ? { columns: answer.columns, rows: answer.rows, problem: null, isLoading: false } : answer.message;
  } catch (error) {
    return messageOf(error);
  }
}

/** Resolves after `milliseconds`, once the page is visible, or when it is woken. */
function pause(milliseconds: number, wake: { current: () => void }): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", check);
      resolve();
    };
    const check = () => {
      if (!document.hidden && isDue) end();
    };
    let isDue = false;
    const timer = setTimeout(
      () => {
        isDue = milliseconds > 0;
        check();
      },
      Math.max(200, milliseconds),
    );
    document.addEventListener("visibilitychange", check);
    wake.current = end;
  });
}
