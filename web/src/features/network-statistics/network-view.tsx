import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { kept } from "../../state/settings.ts";
import { useSize } from "../../ui/browser/element-size.ts";
import { isNarrow } from "../../ui/browser/screen.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/marks/icons.tsx";
import { clockAt } from "../../ui/time.ts";
import { GraphView } from "./graph/graph-view.tsx";
import { HostsTable } from "./hosts-table.tsx";
import { InterfacesTable } from "./interfaces-table.tsx";
import { LinksTable } from "./links-table.tsx";
import {
  connectionsOf,
  filter,
  filterText,
  hiddenKinds,
  hiddenRows,
  hostNames,
  measuredAt,
  PACES,
  pace,
  pickedHost,
  problem,
  showConnections,
  stats,
  useNetwork,
} from "./network-store.ts";
import { ProblemList } from "./problem-list.tsx";
import { SECTIONS, type Section, section } from "./section.ts";
import { TcpPanel } from "./tcp-panel.tsx";
import { kindsOf, linkRows, portRows, shownProblems } from "./traffic-rows.ts";
import { KIND_WORDS, LINK_KINDS, type LinkKind } from "./traffic-words.ts";

const WORDS: Readonly<Record<Section, string>> = { links: "Links", interfaces: "Interfaces", hosts: "Hosts", graph: "Graph" };
const PACE_WORDS: Readonly<Record<number, string>> = { 0: "paused", 1: "every second" };
/** Minimum width of a pane that shows the graph beside a table, px. */
const MIN_WIDTH_OF_BOTH = 820;

const graphBeside = kept("networkGraphBeside", true, (value) => (typeof value === "boolean" ? value : null));

/** Whether the kinds of traffic are shown on a phone. */
const kindsOpen = signal(false);

/** Traffic between hosts: tables, problems, and a graph beside them. */
export function NetworkView() {
  useNetwork();
  const box = useRef<HTMLElement>(null);
  const { width } = useSize(box);
  const found = stats.value;
  const canHaveBoth = width >= MIN_WIDTH_OF_BOTH;
  const hasGraph = section.value === "graph" || (canHaveBoth && graphBeside.value);
  const host = connectionsOf.value;
  return (
    <section
      class="network"
      aria-label="Network"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || host === null) return;
        connectionsOf.value = null;
        event.stopPropagation();
      }}
    >
      <Bar />
      {problem.value !== null && (
        <p class="why bad" role="alert">
          {problem.value}
        </p>
      )}
      {found && <ProblemList problems={shownProblems(found.problems, filter.value)} />}
      <Sections canHaveBoth={canHaveBoth} />
      <div class="net-body">
        {found === null ? (
          <Waiting />
        ) : (
          <>
            {section.value !== "graph" && (
              <div class="net-table">
                {section.value === "links" && <LinksTable stats={found} />}
                {section.value === "interfaces" && <InterfacesTable stats={found} />}
                {section.value === "hosts" && <HostsTable stats={found} />}
              </div>
            )}
            {hasGraph && (section.value === "graph" || host === null) && <GraphView stats={found} />}
          </>
        )}
        {host !== null && (
          <TcpPanel
            key={host}
            host={host}
            onClose={() => {
              connectionsOf.value = null;
            }}
          />
        )}
      </div>
      <footer class="tasks-count soft" aria-live="off">
        <Foot />
      </footer>
    </section>
  );
}

function Bar() {
  const host = pickedHost.value;
  return (
    <header class="bar">
      <h1>Network</h1>
      <input
        type="search"
        class="net-filter"
        value={filterText.value}
        placeholder="Filter hosts, topics, interfaces…"
        aria-label="Filter hosts, topics, services, interfaces and problems"
        onInput={(event) => {
          filterText.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.currentTarget.closest(".network")?.querySelector<HTMLElement>(".row-name, .net-node")?.focus();
          event.preventDefault();
        }}
      />
      {host !== null && (
        <span class="picked">
          <b>{host}</b>
          <button type="button" onClick={() => showConnections(host)}>
            TCP connections
          </button>
          <IconButton
            icon="close"
            label={`Show all hosts, not only ${host}`}
            word="All"
            onClick={() => {
              pickedHost.value = null;
            }}
          />
        </span>
      )}
      <span class="grow" />
      {isNarrow.value && (
        <Button
          pressed={kindsOpen.value}
          onClick={() => {
            kindsOpen.value = !kindsOpen.value;
          }}
        >
          Kinds
        </Button>
      )}
      <select
        aria-label="Sampling interval"
        value={pace.value}
        onChange={(event) => {
          pace.value = Number(event.currentTarget.value);
        }}
      >
        {PACES.map((seconds) => (
          <option key={seconds} value={seconds}>
            {PACE_WORDS[seconds] ?? `every ${seconds} s`}
          </option>
        ))}
      </select>
    </header>
  );
}

/** The sections with their counts, and the filters of the traffic. */
function Sections({ canHaveBoth }: { canHaveBoth: boolean }) {
  const found = stats.value;
  const counts: Partial<Record<Section, number>> = found
    ? {
        links: linkRows(found, filter.value).length,
        interfaces: portRows(found.interfaces, filter.value).length,
        hosts: hostNames.value.length,
      }
    : {};
  return (
    <div class="net-sections">
      <nav class="data-kinds" aria-label="Network">
        {SECTIONS.map((one) => (
          <button
            key={one}
            type="button"
            class="flat"
            aria-pressed={section.value === one}
            onClick={() => {
              section.value = one;
            }}
          >
            {WORDS[one]} <span class="soft">{counts[one]}</span>
          </button>
        ))}
      </nav>
      {(section.value === "links" || section.value === "graph") && found && (!isNarrow.value || kindsOpen.value) && (
        <Kinds of={kindsOf(found.links)} />
      )}
      <Hidden />
      <span class="grow" />
      {canHaveBoth && section.value !== "graph" && (
        <button
          type="button"
          class="toggle"
          aria-pressed={graphBeside.value}
          onClick={() => {
            graphBeside.value = !graphBeside.value;
          }}
        >
          Graph beside
        </button>
      )}
    </div>
  );
}

/** Kinds of traffic that can be hidden. */
function Kinds({ of }: { of: ReadonlySet<LinkKind> }) {
  const hidden = hiddenKinds.value;
  const kinds = LINK_KINDS.filter((kind) => of.has(kind));
  if (kinds.length < 2) return null;
  return (
    <fieldset class="net-kinds">
      <legend class="unseen">Shown kinds of traffic</legend>
      {kinds.map((kind) => (
        <button
          key={kind}
          type="button"
          class="toggle"
          aria-pressed={!hidden.includes(kind)}
          onClick={() => {
            hiddenKinds.value = hidden.includes(kind) ? hidden.filter((one) => one !== kind) : [...hidden, kind];
          }}
        >
          {KIND_WORDS[kind][1]}
        </button>
      ))}
    </fieldset>
  );
}

function Hidden() {
  const count = hiddenRows.value.length;
  if (count === 0) return null;
  return (
    <button
      type="button"
      class="flat"
      onClick={() => {
        hiddenRows.value = [];
      }}
    >
      Show {count} hidden
    </button>
  );
}

function Waiting() {
  if (problem.value !== null) return null;
  return (
    <p class="empty nothing">
      {pace.value === 0 ? "Sampling is paused. Choose a sampling interval above." : `Measuring for ${pace.value} s…`}
    </p>
  );
}

function Foot() {
  if (stats.value === null) return null;
  const when = clockAt(measuredAt.value);
  const measured = `measured over ${stats.value.sample_seconds.toFixed(1)} s`;
  return <>{pace.value === 0 ? `Paused: values of ${when}, ${measured}` : `${when}, ${measured}`}</>;
}
