import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { loggedEntries } from "../log/log-store.ts";
import { ask, connection } from "../state/store.ts";
import type { History } from "./versions-panel.tsx";

/** The newest log entries, among which one on the configuration would be. */
const MAX_SEARCHED = 50;

/**
 * The versions of a file and which one is in effect; null while not known. Asked for again when the manager has logged something that is no
 * change of a process, which a save or a reload by anyone is, when the page gets the focus, and by `refresh`.
 */
export function useHistory(path: string | null): { history: History | null; refresh: () => void } {
  const [history, setHistory] = useState<History | null>(null);
  const wanted = useRef<{ path: string | null; isAsking: boolean; isAgain: boolean }>({ path, isAsking: false, isAgain: false });
  wanted.current.path = path;
  const refresh = () => {
    const now = wanted.current;
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
      // Without a connection the next one asks again.
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
