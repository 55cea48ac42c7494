import { useEffect, useRef } from "preact/hooks";
import { linkTo } from "../../state/navigation.ts";
import type { DataKind } from "../../state/views.ts";
import { LoggersView } from "../loggers/loggers-view.tsx";
import { loggers, recordings } from "../recordings/recordings-store.ts";
import { RecordingsView } from "../recordings/recordings-view.tsx";
import { ClientsView } from "./clients-view.tsx";
import { clients, services, topics } from "./data-store.ts";
import { ParametersView } from "./parameters-view.tsx";
import { PlotView } from "./plot/plot-view.tsx";
import { plotted } from "./plot/plotted.ts";
import { ServicesView } from "./services-view.tsx";
import { TopicsView } from "./topics-view.tsx";

const KINDS: readonly [DataKind, string][] = [
  ["topics", "Topics"],
  ["services", "Services"],
  ["parameters", "Parameters"],
  ["clients", "Clients"],
  ["plot", "Plot"],
  ["recordings", "Recordings"],
  ["loggers", "Loggers"],
];
const VIEWS = {
  topics: TopicsView,
  services: ServicesView,
  parameters: ParametersView,
  clients: ClientsView,
  plot: PlotView,
  recordings: RecordingsView,
  loggers: LoggersView,
};
const LISTS = { topics, services, clients, plot: plotted, recordings, loggers } as const;
const countOf = (kind: DataKind) => (kind === "parameters" ? undefined : LISTS[kind].value.length);

/** What the programs exchange: topics, services, parameters, and the programs themselves. */
export function BusDataView({ kind }: { kind: DataKind }) {
  const Content = VIEWS[kind];
  const kinds = useRef<HTMLElement>(null);
  useEffect(() => kinds.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [kind]);
  return (
    <section class="data" aria-label={KINDS.find(([one]) => one === kind)?.[1] ?? kind}>
      <nav class="data-kinds" aria-label="Data" ref={kinds}>
        {KINDS.map(([one, word]) => (
          <a key={one} {...linkTo({ kind: one })} aria-current={one === kind ? "page" : undefined}>
            {word} <span class="soft">{countOf(one)}</span>
          </a>
        ))}
      </nav>
      <Content />
    </section>
  );
}
