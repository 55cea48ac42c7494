import { PROCESS_STATES, type Process, type ProcessState } from "../../src/protocol/resources.ts";
import { Icon } from "./icons.tsx";
import { linkTo, showProcess } from "./navigation.ts";
import { StateMark } from "./state-mark.tsx";
import { allProcesses, changes, command, connection, counts, hosts, isLoaded, processNames } from "./store.ts";
import { clockTime } from "./time.ts";
import { filterTree } from "./tree.tsx";
import { whyText } from "./why.ts";

/** States that somebody should look at, worst first. */
const TROUBLE: ProcessState[] = ["error", "backoff", "waiting", "stopping", "starting"];
const MOST_TROUBLE = 40;
const RECENT = 14;

/** The start page: is everything all right? */
export function Overview() {
  if (!isLoaded.value)
    return <p class="empty nothing">{connection.value.kind === "lost" ? "The manager cannot be reached." : "Connecting …"}</p>;
  const processes = allProcesses();
  const trouble = TROUBLE.flatMap((state) => processes.filter((process) => process.state === state));
  return (
    <section class="overview" aria-label="Overview">
      <Verdict trouble={trouble} />
      <ul class="counts" aria-label="Processes by state">
        {PROCESS_STATES.filter((state) => counts.value.has(state)).map((state) => (
          <li key={state}>
            <button
              type="button"
              class="count-tile"
              title={`Show these in the tree (is:${state})`}
              onClick={() => filterTree(`is:${state}`)}
            >
              <b>{counts.value.get(state)}</b>
              <span class="in-row">
                <StateMark state={state} /> {state}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {trouble.length > 0 && (
        <>
          <h2>To look at</h2>
          <ul class="trouble" aria-label="To look at">
            {trouble.slice(0, MOST_TROUBLE).map((process) => (
              <TroubleRow key={process.name} process={process} />
            ))}
          </ul>
          {trouble.length > MOST_TROUBLE && <p class="soft">and {trouble.length - MOST_TROUBLE} more</p>}
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
      ? `${failed} ${failed === 1 ? "process needs" : "processes need"} a look.`
      : away > 0
        ? `${away} ${away === 1 ? "host is" : "hosts are"} away.`
        : trouble.length > 0
          ? `${trouble.length} on ${trouble.length === 1 ? "its" : "their"} way.`
          : processNames.value.length === 0
            ? "No processes are configured."
            : "Everything is all right.";
  return (
    <h1 class={`verdict ${kind}`}>
      <StateMark state={kind === "bad" ? "error" : kind === "busy" ? "starting" : "ready"} />
      {text}
    </h1>
  );
}

function TroubleRow({ process }: { process: Process }) {
  const { name, state } = process;
  const canStart = state === "error" || state === "backoff";
  return (
    <li>
      <StateMark state={state} />
      <a class="member" {...linkTo({ kind: "process", name })}>
        {name}
      </a>
      <span class="why">{whyText(process)}</span>
      {canStart && (
        <button type="button" onClick={() => void command({ type: "start_process", name })} aria-label={`Start ${name}`}>
          <Icon name="start" /> Start
        </button>
      )}
    </li>
  );
}

/** The newest changes of state. */
function Recent() {
  const newest = changes.value.slice(-RECENT).reverse();
  return (
    <section>
      <h2>Recent changes</h2>
      {newest.length === 0 && <p class="soft">None yet.</p>}
      <ul class="changes">
        {newest.map((change) => (
          <li key={change.id}>
            <time dateTime={`${change.ts}Z`}>{clockTime(change.ts)}</time>
            <StateMark state={change.to} />
            <button type="button" class="linklike" onClick={() => showProcess(change.name)}>
              {change.name}
            </button>
            <span class="soft">{change.to}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Hosts() {
  const processes = allProcesses();
  return (
    <section>
      <h2>Hosts</h2>
      <ul class="hosts">
        {hosts.value.map((host) => {
          const own = processes.filter((process) => process.host === host.name);
          const running = own.filter(({ pid }) => pid !== null).length;
          return (
            <li key={host.name}>
              <span class={`dot ${host.daemon_ready ? "good" : "bad"}`} />
              <b>{host.name}</b>
              <span class="soft">
                {host.daemon_ready ? "ready" : "away"}, {running} of {own.length} running
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
