import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { loggedEntries } from "../log/log-store.ts";
import { ask, connection } from "../state/store.ts";
import type { History } from "./versions-panel.tsx";

/** Number of the newest log entries that are searched for one about the configuration. */
const MAX_SEARCHED = 50;

/**
 * The versions of a file and which one is in effect; null until they are known. They are requested again when the manager logs anything but a
 * change of a process, as it does at each save and reload, when the page gets the focus, and by `refresh`.
 */
export function useHistory(path: string | null): { history: History | null; refresh: () => void } {
  const [history, setHistory] = useState<History | null>(null);
  const requested = useRef<{ path: string | null; isAsking: boolean; isAgain: boolean }>({ path, isAsking: false, isAgain: false });
  requested.current.path = path;
  const refresh = () => {
    const now = requested.current;
    if (now.path === null || connection.peek().kind !== "open") return;
    if (now.isAsking) {
      now.isAgain = true;
      return;
    }
    now.isAsking = true;
    const asked = now.path;
    ask({ type: "request_config_history", path: asked }, "config_history")
      .then((answer) => {
        if (answer.ok && now.path === asked) setHistory(answer);
      })
      // If the connection is lost, the next one requests them again.
      .catch((error) => console.info("no versions of the configuration", error))
      .finally(() => {
        now.isAsking = false;
        if (!now.isAgain) return;
        now.isAgain = false;
        refresh();
      });
  };
  useEffect(() => {
    let seen: number | undefined;
    const stop = effect(() => {
      const { kind } = connection.value;
      const newest = loggedEntries()
        .entries.slice(-MAX_SEARCHED)
        .findLast(({ source, change }) => source === "manager" && !change)?.id;
      if (kind !== "open" || (seen !== undefined && newest === seen)) return;
      seen = newest ?? -1;
      refresh();
    });
    addEventListener("focus", refresh);
    return () => {
      stop();
      removeEventListener("focus", refresh);
    };
  }, [path]);
  return { history: history?.path === path ? history : null, refresh };
}
