import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { cpuText, memoryText } from "../../../src/client/shown/load-text.ts";
import type { HostLoad, ProcessLoad } from "../../../src/protocol/resources/resources.ts";
import { LoadPoll } from "./load-poll.ts";
import { drawnWithNextFrame } from "./painting.ts";
import { client, connection } from "./store.ts";

/** CPU and memory of the running processes, by name, from the last answer. */
const loads = signal<ReadonlyMap<string, ProcessLoad>>(new Map());
const machines = signal<ReadonlyMap<string, HostLoad>>(new Map());

const viewers = signal<readonly { name: string | undefined }[]>([]);
const isVisible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => {
  isVisible.value = !document.hidden;
});

const poll = new LoadPoll({
  ask: (name) => client.request({ type: "request_process_loads", ...(name === undefined ? {} : { name }) }),
  onAnswer: (answer) =>
    drawnWithNextFrame(() => {
      loads.value = new Map(answer?.loads.map((load) => [load.name, load]));
      machines.value = new Map(answer?.hosts.map((load) => [load.host, load]));
    }),
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as number),
});
effect(() =>
  poll.update(
    viewers.value.map(({ name }) => name),
    isVisible.value && connection.value.kind === "open",
  ),
);

/** Keeps `loads` up to date while the component is shown: of a process or group, or of all. */
export function useLoads(name?: string): void {
  useEffect(() => {
    const viewer = { name };
    viewers.value = [...viewers.peek(), viewer];
    return () => {
      viewers.value = viewers.peek().filter((one) => one !== viewer);
    };
  }, [name]);
}

interface LoadSum {
  cpu: number;
  memory: number;
}

/** The sum of the loads of several processes; null if none is known. */
export function loadOf(names: Iterable<string>): LoadSum | null {
  const known = [...names].flatMap((name) => loads.value.get(name) ?? []);
  if (known.length === 0) return null;
  return {
    cpu: known.reduce((sum, { cpu_percent }) => sum + cpu_percent, 0),
    memory: known.reduce((sum, { memory_rss }) => sum + memory_rss, 0),
  };
}

/** The load of the machine itself; undefined while it is not known. */
export const machineOf = (host: string): HostLoad | undefined => machines.value.get(host);

export const cpuOf = (sum: LoadSum | null): string => (sum ? `${cpuText(sum.cpu)} %` : "");
export const memoryOf = (sum: LoadSum | null): string => (sum ? memoryText(sum.memory) : "");
