import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { HostClock } from "../../../../src/features/flight/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { ask, connection } from "../../state/store.ts";

/** Clocks drift apart slowly, milliseconds. */
const REFRESH_MS = 10_000;
const REQUEST = { type: "request_host_clocks" } as const;

const clocks = signal<readonly HostClock[]>([]);
/** Rows that show them, which share one request. */
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function load(): void {
  if (document.hidden || connection.peek().kind !== "open" || refusalOf(REQUEST) !== null) return;
  ask(REQUEST, "host_clocks").then(
    (answer) => {
      clocks.value = answer.clocks;
    },
    (error: unknown) => console.info("no clocks of hosts", error),
  );
}

/** The clock of a host, refreshed while the page is visible; undefined: the manager does not measure it. */
export function useHostClock(name: string): HostClock | undefined {
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (!isOpen) return;
    if (users++ === 0) {
      load();
      timer = setInterval(load, REFRESH_MS);
    }
    return () => {
      if (--users === 0) clearInterval(timer);
    };
  }, [isOpen]);
  return clocks.value.find(({ host }) => host === name);
}
