import type { ComponentType } from "preact";
import { hostRemark } from "../../../src/client/shown/host-remark.ts";
import { cpuText, memoryText } from "../../../src/client/shown/load-text.ts";
import type { HostEntry, Process } from "../../../src/protocol/resources/resources.ts";
import { loadOf, machineOf } from "../state/loads.ts";
import { hosts } from "../state/store.ts";
import { filterTree } from "../tree/tree-filter.ts";
import { clockMinutes } from "../ui/time.ts";

const MAX_HOSTS = 12;

/** Additions of features to the row of a host. */
interface Additions {
  readonly More: ComponentType<{ name: string }>;
  readonly Facts: ComponentType<{ name: string }>;
}

/** Hosts and their load. Lost hosts come first; hosts that do not fit are counted. `More` and `Facts`: buttons and facts of features. */
export function HostsPanel({ processes, ...additions }: { processes: readonly Process[] } & Additions) {
  const byHost = new Map<string, Process[]>();
  for (const process of processes) {
    const own = byHost.get(process.host);
    if (own) own.push(process);
    else byHost.set(process.host, [process]);
  }
  const sorted = [...hosts.value].sort((a, b) => Number(a.daemon_ready) - Number(b.daemon_ready) || a.name.localeCompare(b.name));
  // A user with roles on some processes sees no hosts.
  if (sorted.length === 0) return null;
  const rest = sorted.slice(MAX_HOSTS);
  return (
    <section class="hosts-panel">
      <h2>Hosts</h2>
      <ul class="hosts" aria-label="Hosts">
        {sorted.slice(0, MAX_HOSTS).map((host) => (
          <HostRow key={host.name} host={host} own={byHost.get(host.name) ?? []} {...additions} />
        ))}
      </ul>
      {rest.length > 0 && (
        <p class="soft more">
          and {rest.length} more, {rest.filter((host) => !host.daemon_ready).length} of them lost
        </p>
      )}
    </section>
  );
}

function HostRow({ host, own, More, Facts }: { host: HostEntry; own: readonly Process[] } & Additions) {
  const { name, daemon_ready } = host;
  const remark = hostRemark(host, clockMinutes);
  const load = daemon_ready ? loadOf(own.map((process) => process.name)) : null;
  const machine = daemon_ready ? machineOf(name) : undefined;
  const running = own.filter(({ pid }) => pid !== null).length;
  const counted = own.length === 0 ? "no processes" : daemon_ready ? `${running} of ${own.length} running` : `${own.length} not known`;
  return (
    <li>
      <span class={`dot ${daemon_ready ? "good" : "bad"}`} />
      <button
        type="button"
        class="linklike host-name"
        title={`Show its processes in the tree (host:${name})`}
        onClick={() => filterTree(`host:${name}`)}
      >
        {name}
      </button>
      <span class={`host-state ${daemon_ready ? "soft" : "bad"}`}>{hostText(host)}</span>
      <span class="soft host-count">{counted}</span>
      <span class="host-load" title={machine && `CPU of the machine, managed or not, in percent of its ${machine.cpus} CPUs`}>
        {machine && `CPU ${cpuText(machine.cpu_percent)} %`}
      </span>
      <span class="host-share soft" title="CPU in percent of the whole machine and resident memory of its managed processes">
        {load && machine && `managed processes: ${cpuText(load.cpu / machine.cpus)} %, ${memoryText(load.memory)}`}
      </span>
      <More name={name} />
      <Facts name={name} />
      {remark !== null && <span class="host-remark soft">{remark}</span>}
    </li>
  );
}

function hostText({ daemon_ready, lost_time, problem }: HostEntry): string {
  if (problem !== null) return problem;
  if (daemon_ready) return "ready";
  return lost_time === null ? "not connected" : `lost since ${clockMinutes(lost_time)}`;
}
