import { useEffect, useState } from "preact/hooks";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { ask, connection } from "../../state/store.ts";

/** An installation is noticed within this time, ms. */
const REFRESH_MS = 60_000;

export type Versions = Extract<ManagerFrame, { type: "versions"; ok: true }>;

/** The versions of the programs, refreshed while the page is visible; null: not known. */
export function useVersions(): Versions | null {
  const [found, setFound] = useState<Versions | null>(null);
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (!isOpen) return;
    let isOver = false;
    const load = () => {
      if (document.hidden) return;
      ask({ type: "request_versions" }, "versions").then(
        (answer) => !isOver && setFound(answer.ok ? answer : null),
        (error: unknown) => console.info("no versions", error),
      );
    };
    load();
    const timer = setInterval(load, REFRESH_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [isOpen]);
  return isOpen ? found : null;
}
