import { useEffect, useState } from "preact/hooks";
import type { ListeningPort, ProcessPorts } from "../../../../src/features/ports/wire.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { ask, connection, hosts, instance } from "../../state/store.ts";
import { type PortSurroundings, portLink } from "./port-link.ts";

/** Programs bind their ports some time after they were started, ms. The host examines all its processes each time. */
const REFRESH_MS = 10_000;

/** The ports of a process that runs, refreshed while they are shown and the page is visible; null: not known. */
export function usePorts({ name, state, pid }: Pick<Process, "name" | "state" | "pid">): ProcessPorts | null {
  const [found, setFound] = useState<ProcessPorts | null>(null);
  const isOpen = connection.value.kind === "open";
  useEffect(() => {
    if (pid === null || !isOpen) return;
    let isOver = false;
    const load = () => {
      if (document.hidden) return;
      ask({ type: "request_ports", name }, "ports").then(
        ({ processes }) => !isOver && setFound(processes.find((each) => each.name === name) ?? null),
        (error: unknown) => console.info("no ports", error),
      );
    };
    load();
    const timer = setInterval(load, REFRESH_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [name, state, pid, isOpen]);
  return pid !== null && found?.name === name ? found : null;
}

/** The address of a port for this browser, or the reason why there is none. */
export function linkOfPort(port: ListeningPort, host: string): ReturnType<typeof portLink> {
  const entry = hosts.value.find(({ all_names }) => all_names.includes(host));
  const surroundings: PortSurroundings = {
    names: entry?.all_names ?? [host],
    isManagers: entry?.name === instance.value.host,
    pageHost: location.hostname,
  };
  return portLink(port, surroundings);
}
