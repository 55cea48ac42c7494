import { useEffect, useState } from "preact/hooks";
import type { Forward } from "../../../../src/features/forward/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { ask, connection } from "../../state/store.ts";

/** Interval at which bytes and states are read, ms. */
const REFRESH_MS = 5_000;

/** The open forwards, refreshed while they are shown and the page is visible, and when `reload` changes. */
export function useForwards(reload: number): readonly Forward[] {
  const [found, setFound] = useState<readonly Forward[]>([]);
  const maySee = connection.value.kind === "open" && refusalOf({ type: "request_forwards" }) === null;
  useEffect(() => {
    if (!maySee) return;
    let isOver = false;
    const load = () => {
      if (document.hidden) return;
      ask({ type: "request_forwards" }, "forwards").then(
        ({ forwards }) => !isOver && setFound(forwards),
        (error: unknown) => console.info("no forwards", error),
      );
    };
    load();
    const timer = setInterval(load, REFRESH_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [maySee, reload]);
  return maySee ? found : [];
}
