import "./history.css";
import { useMemo } from "preact/hooks";
import { findGroup } from "../../../../src/client/mirror.ts";
import { linkTo } from "../../state/navigation.ts";
import { kept } from "../../state/settings.ts";
import { isLoaded, processOf, tree } from "../../state/store.ts";
import { keyOf, type ViewOf } from "../../state/views.ts";
import { Name } from "../../ui/name.tsx";
import { type Figure, GROUP_FIGURES, HOST_FIGURES, PROCESS_FIGURES } from "./figures.ts";
import { HistoryBody } from "./history-body.tsx";

/** Keys of the charts that are shown on demand. */
const extras = kept<readonly string[]>("historyCharts", [], (value) =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : null,
);

/** The resources that a process, the processes of a group, or a machine used in the past. */
export function HistoryView({ view: named }: { view: ViewOf<"history"> }) {
  const view = useMemo(() => knownView(named), [keyOf(named)]);
  if (!isLoaded.value) return null;
  const isGroup = view.about === "processes" && view.name !== undefined && findGroup(tree.value, view.name) !== undefined;
  const isMany = isGroup || view.about === "all";
  return <Known key={`${keyOf(view)} ${isMany}`} view={view} isMany={isMany} />;
}

/** An address may name anything. */
function knownView({ about, name }: ViewOf<"history">): ViewOf<"history"> {
  if (name === undefined || about === "all") return { kind: "history", about: "all" };
  return { kind: "history", about: about === "host" ? "host" : "processes", name };
}

function Known({ view, isMany }: { view: ViewOf<"history">; isMany: boolean }) {
  const shownExtras = extras.value.join();
  const figures = useMemo((): readonly Figure[] => {
    if (view.about === "host") return HOST_FIGURES;
    return isMany ? GROUP_FIGURES : PROCESS_FIGURES.filter(({ key, isExtra }) => !isExtra || extras.peek().includes(key));
  }, [view.about, isMany, shownExtras]);
  const title = view.name ?? "all processes";
  return (
    <section class="history" aria-label={`History of ${title}`}>
      <header class="bar">
        <h1 title={title} aria-label={`History of ${title}`}>
          <span class="soft">History of</span> {view.name === undefined ? title : <Name name={view.name} />}
        </h1>
        <span class="grow" />
        <Subject view={view} isMany={isMany} />
      </header>
      <HistoryBody view={view} isMany={isMany} figures={figures} extras={isMany || view.about === "host" ? null : extras} />
    </section>
  );
}

/** A link to what the history is about. */
function Subject({ view: { about, name }, isMany }: { view: ViewOf<"history">; isMany: boolean }) {
  if (about === "host") return null;
  if (name === undefined) return <a {...linkTo({ kind: "all" })}>All processes</a>;
  if (isMany) return <a {...linkTo({ kind: "group", name })}>Group</a>;
  return processOf(name) === undefined ? (
    <span class="soft">not configured any more</span>
  ) : (
    <a {...linkTo({ kind: "process", name })}>Terminal</a>
  );
}
