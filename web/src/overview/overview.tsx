import type { Process, ProcessState } from "../../../src/protocol/resources/resources.ts";
import { request } from "../app/commands.ts";
import { cpuOf, loadOf, memoryOf, useLoads } from "../app/loads.ts";
import { linkTo } from "../app/navigation.ts";
import { allProcesses, connection, counts, hosts, isLoaded, processNames, processOf } from "../app/store.ts";
import { recentChanges } from "../process/state-history.ts";
import { statusReason } from "../process/status-reason.ts";
import { filterTree } from "../tree/tree-filter.ts";
import { Button } from "../ui/button.tsx";
import { useHeldRows } from "../ui/held-rows.ts";
import { Icon } from "../ui/icons.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { clockTime } from "../ui/time.ts";

/** Worst first: what to look at, then what is as it should be. */
const TROUBLE: ProcessState[] = ["error", "backoff", "waiting", "stopping", "starting"];
const WORST_FIRST: ProcessState[] = [...TROUBLE, "started", "ready", "stopped"];
const MOST_TROUBLE = 40;
/** Processes in the list of recent changes, and how many of its last states each shows. */
const RECENT = 12;
const LAST_STATES = 4;
const MOST_HOSTS = 12;

/** The start page: is everything all right? */
export function Overview() {
  if (!isLoaded.value)
    return <p class="empty nothing">{connection.value.kind === "lost" ? "The manager cannot be reached." : "Connecting …"}</p>;
  const processes = allProcesses();
  return <LoadedOverview processes={processes} />;
}

function LoadedOverview({ processes }: { processes: Process[] }) {
  useLoads();
  const trouble = TROUBLE.flatMap((state) => processes.filter((process) => process.state === state));
  // A process that is all right again keeps its row until the mouse leaves.
  const { rows, hold } = useHeldRows(trouble, ({ name }) => name, "");
  return (
    <section class="overview" aria-label="Overview" {...hold}>
      <Verdict trouble={trouble} />
      <ul class="counts" aria-label="Processes by state">
        {WORST_FIRST.map((state) => (
          <li key={state}>
            <button
              type="button"
              class={`count-tile ${counts.value.has(state) ? "" : "none"}`}
              title={`Show these in the tree (is:${state})`}
              onClick={() => filterTree(`is:${state}`)}
            >
              <b>{counts.value.get(state) ?? 0}</b>
              <span class="in-row">
                <StateMark state={state} /> {state}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {rows.length > 0 && (
        <>
          <h2>Needs attention</h2>
          <ul class="trouble" aria-label="Needs attention">
            {rows.slice(0, MOST_TROUBLE).map(({ name }) => (
              <TroubleRow key={name} name={name} />
            ))}
          </ul>
          {rows.length > MOST_TROUBLE && <p class="soft">and {rows.length - MOST_TROUBLE} more</p>}
        </>
      )}
      <div class="overview-columns">
        <Recent />
        <Hosts />
      </div>
    </section>
  );
}

function Verdict({ trouble }: { trouble: Process[] }) {
  const failed = trouble.filter(({ state }) => state === "error" || state === "backoff").length;
  const away = hosts.value.filter((host) => !host.daemon_ready).length;
  const kind = failed + away > 0 ? "bad" : trouble.length > 0 ? "busy" : "good";
  const text =
    failed > 0
      ? `${failed} ${failed === 1 ? "process needs" : "processes need"} attention.`
      : away > 0
        ? `${away} ${away === 1 ? "host is" : "hosts are"} not connected.`
        : trouble.length > 0
          ? `${trouble.length} ${trouble.length === 1 ? "process is" : "processes are"} starting or stopping.`
          : processNames.value.length === 0
            ? "No processes are configured."
            : "No problems.";
  return (
    <h1 class={`verdict ${kind}`}>
      <StateMark state={kind === "bad" ? "error" : kind === "busy" ? "starting" : "ready"} />
      {text}
    </h1>
  );
}

function TroubleRow({ name }: { name: string }) {
  const process = processOf(name);
  if (!process) return null;
  const { state } = process;
  const canStart = state === "error" || state === "backoff";
  return (
    <li>
      <StateMark state={state} />
      <a class="member" {...linkTo({ kind: "process", name })}>
        {name}
      </a>
      <span class="why">{statusReason(process) ?? state}</span>
      <Button
        class="start"
        needsManager
        enabled={canStart}
        label={`Start ${name}`}
        onClick={() => void request("start", { kind: "process", name })}
      >
        <Icon name="start" /> Start
      </Button>
    </li>
  );
}

function Recent() {
  // Each process once: one that crashes every second does not fill the list.
  const newest = recentChanges(RECENT).map(({ name, changes }) => {
    const last = changes.slice(-LAST_STATES);
    return { name, ts: last.at(-1)?.time ?? "", states: last.map(({ to }) => to) };
  });
  return (
    <section>
      <h2>Recent changes</h2>
      {newest.length === 0 && <p class="soft">No changes yet.</p>}
      <ul class="changes">
        {newest.map(({ name, ts, states }) => (
          <li key={name}>
            <time dateTime={`${ts}Z`}>{clockTime(ts)}</time>
            <a class="member" {...linkTo({ kind: "process", name })} title={name}>
              {name}
            </a>
            <span class="chain" role="img" aria-label={`then ${states.join(", ")}`}>
              {states.slice(0, -1).map((state, index) => (
                <StateMark key={index} state={state} />
              ))}
            </span>
            <span class="in-row latest">
              <StateMark state={states.at(-1) ?? "stopped"} /> {states.at(-1)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Those that are away first; many that are ready are told in a word. */
function Hosts() {
  const processes = allProcesses();
  const sorted = [...hosts.value].sort((a, b) => Number(a.daemon_ready) - Number(b.daemon_ready) || a.name.localeCompare(b.name));
  return (
    <section>
      <h2>Hosts</h2>
      <ul class="hosts">
        {sorted.slice(0, MOST_HOSTS).map((host) => {
          const own = processes.filter((process) => process.host === host.name);
          const load = loadOf(own.map(({ name }) => name));
          const running = own.filter(({ pid }) => pid !== null).length;
          return (
            <li key={host.name}>
              <span class={`dot ${host.daemon_ready ? "good" : "bad"}`} />
              <button
                type="button"
                class="linklike"
                title={`Show its processes in the tree (host:${host.name})`}
                onClick={() => filterTree(`host:${host.name}`)}
              >
                {host.name}
              </button>
              <span class={host.daemon_ready ? "soft" : "bad"}>{host.daemon_ready ? "ready" : "lost"}</span>
              <span class="soft number">{load && `${cpuOf(load)} CPU, ${memoryOf(load)}`}</span>
              <span class="soft number">{own.length === 0 ? "no processes" : `${running} of ${own.length} running`}</span>
            </li>
          );
        })}
      </ul>
      {sorted.length > MOST_HOSTS && (
        <p class="soft">
          and {sorted.length - MOST_HOSTS} more, {sorted.slice(MOST_HOSTS).filter((host) => !host.daemon_ready).length} of them lost
        </p>
      )}
    </section>
  );
}
