import { type ShownState, shownState, stateText, wordOf } from "../../../src/client/shown/shown-state.ts";
import type { HostEntry, Process } from "../../../src/protocol/resources/resources.ts";
import { request } from "../app/commands.ts";
import { cpuOf, loadOf, memoryOf, useLoads } from "../app/loads.ts";
import { linkTo } from "../app/navigation.ts";
import { allProcesses, connection, counts, hosts, isLoaded, processNames, processOf } from "../app/store.ts";
import { loggedEntries } from "../log/log-store.ts";
import { recentChanges } from "../process/state-history.ts";
import { reasonOf } from "../process/status-reason.ts";
import { filterTree } from "../tree/tree-filter.ts";
import { Button } from "../ui/button.tsx";
import { useHeldRows } from "../ui/held-rows.ts";
import { Icon } from "../ui/icons.tsx";
import { ProcessMark, StateMark } from "../ui/state-mark.tsx";
import { clockMinutes, clockTime } from "../ui/time.ts";
import { RestartToApply } from "./restart-to-apply.tsx";

/** Worst first: what to look at, then what is as it should be. */
const TROUBLE: ShownState[] = ["error", "backoff", "lost", "waiting", "stopping", "starting"];
const WORST_FIRST: ShownState[] = [...TROUBLE, "started", "ready", "completed", "stopped"];
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
  const trouble = TROUBLE.flatMap((state) => processes.filter((process) => shownState(process) === state));
  // A process that is all right again keeps its row until the mouse leaves.
  const { rows, hold } = useHeldRows(trouble, ({ name }) => name, "");
  return (
    <section class="overview" aria-label="Overview" {...hold}>
      <header class="verdict-line">
        <Verdict trouble={trouble} />
        <RestartToApply processes={processes} />
      </header>
      <ul class="counts" aria-label="Processes by state">
        {WORST_FIRST.map((state) => (
          <li key={state}>
            <button
              type="button"
              class={`count-tile ${counts.value.has(state) ? "" : "none"}`}
              title={`Show these in the tree (is:${wordOf(state)})`}
              onClick={() => filterTree(`is:${wordOf(state)}`)}
            >
              <b>{counts.value.get(state) ?? 0}</b>
              <span class="in-row">
                <StateMark state={state} /> {wordOf(state)}
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
  const states = trouble.map(shownState);
  const failed = states.filter((state) => state === "error" || state === "backoff").length;
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
  const mark = failed > 0 ? (states[0] ?? "error") : away > 0 ? "lost" : kind === "busy" ? "starting" : "ready";
  return (
    <h1 class={`verdict ${kind}`}>
      <StateMark state={mark} />
      {text}
    </h1>
  );
}

function TroubleRow({ name }: { name: string }) {
  const process = processOf(name);
  if (!process) return null;
  const canStart = process.state === "error" || process.state === "backoff";
  const reason = reasonOf(process);
  const isAgain = shownState(process) === "backoff";
  return (
    <li>
      <ProcessMark process={process} />
      <a class="member" {...linkTo({ kind: "process", name })}>
        {name}
      </a>
      <span class="why">
        {isAgain && <b>{stateText(process)} </b>}
        {reason ?? wordOf(shownState(process))}
      </span>
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
  const newest = recentChanges(loggedEntries().entries, {
    count: RECENT,
    most: LAST_STATES,
    startOf: (name) => processOf(name)?.start_time ?? null,
  });
  return (
    <section>
      <h2>Recent changes</h2>
      {newest.length === 0 && <p class="soft">No changes yet.</p>}
      <ul class="changes">
        {newest.map(({ name, changes }) => (
          <li key={name}>
            <time dateTime={`${changes.at(-1)?.time}Z`}>{clockTime(changes.at(-1)?.time ?? "")}</time>
            <a class="member" {...linkTo({ kind: "process", name })} title={name}>
              {name}
            </a>
            <span class="chain" role="img" aria-label={`then ${changes.map(({ to }) => wordOf(to)).join(", ")}`}>
              {changes.slice(0, -1).map(({ time, to }, index) => (
                <StateMark key={`${time} ${index}`} state={to} />
              ))}
            </span>
            <span class="in-row latest" title={changes.at(-1)?.text}>
              <StateMark state={changes.at(-1)?.to ?? "stopped"} /> <span class="change-text">{changes.at(-1)?.text}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function hostText({ daemon_ready, lost_time }: HostEntry): string {
  if (daemon_ready) return "ready";
  return lost_time === null ? "not connected" : `lost since ${clockMinutes(lost_time)}`;
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
              <span class={host.daemon_ready ? "soft" : "bad"}>{hostText(host)}</span>
              <span class="soft number">{load && `${cpuOf(load)} CPU, ${memoryOf(load)}`}</span>
              <span class="soft number">
                {own.length === 0 ? "no processes" : host.daemon_ready ? `${running} of ${own.length} running` : `${own.length} not known`}
              </span>
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
