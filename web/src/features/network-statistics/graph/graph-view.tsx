import { useEffect, useRef, useState } from "preact/hooks";
import { byteRate } from "../../../../../src/client/shown/units.ts";
import type { NetworkStats } from "../../../../../src/features/network-statistics/wire.ts";
import { type Size, useSize } from "../../../ui/browser/element-size.ts";
import { Button } from "../../../ui/button.tsx";
import { complain } from "../../../ui/toasts.ts";
import { filter, graphFolds, hostNames, lostAges, pickedHost, topology } from "../network-store.ts";
import { linkRows } from "../traffic-rows.ts";
import { ageText } from "../traffic-words.ts";
import { nodeTowards } from "./graph-keys.ts";
import type { PlacedGraph, Room } from "./graph-layout.ts";
import { type GraphEdge, type GraphNode, type NetworkGraph, networkGraph, shapeOf, widthOf, withIdle } from "./graph-model.ts";

/** Maximum number of hosts for which groups are open at first; with more they are folded. */
const MAX_HOSTS = 12;
/** Maximum number of lines that all have text; with more, only those of the selected node have. */
const MAX_LABELS = 12;
const LEGEND = [1_000, 1_000_000, 100_000_000];

/** The graph of hosts and networks, with one line for each pair, as wide as its traffic. */
export function GraphView({ stats }: { stats: NetworkStats }) {
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const room = roomOf(size);
  const { text, hiddenKinds, hiddenRows } = filter.value;
  const rows = linkRows(stats, { text, hiddenKinds, hiddenRows, host: null });
  const now = networkGraph({
    links: rows.map(({ link }) => link),
    topology: topology.value,
    hosts: hostNames.value,
    ages: lostAges.value,
    problems: stats.problems,
    folds: graphFolds.value,
    maxHosts: MAX_HOSTS,
  });
  const graph = useIdleEdges(now, JSON.stringify([text, hiddenKinds, hiddenRows, graphFolds.value]));
  const placed = usePlaced(graph, room, size);
  useScrollIntoView(scroller, graph, placed);
  const [over, setOver] = useState<string | null>(null);
  const chosen =
    over ?? graph.nodes.find(({ kind, members }) => kind !== "network" && members.includes(pickedHost.value ?? ""))?.key ?? null;
  const canvas = useRef<HTMLDivElement>(null);
  const onKey = (event: KeyboardEvent, key: string) => {
    const buttons = graph.nodes.filter(({ kind }) => kind !== "network").map((node) => node.key);
    const next = placed && nodeTowards(placed.nodes, buttons, key, event.key);
    if (!next) return;
    canvas.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next)}"]`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class={`net-graph ${room}`} aria-label="Graph of hosts and networks">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable) */}
      <div class="net-scroller" tabIndex={0} ref={scroller}>
        {placed && (
          <div class="net-canvas" ref={canvas} style={{ width: `${placed.width}px`, height: `${placed.height}px` }}>
            {graph.groups.map(({ key, title, members }) => {
              const box = placed.groups.get(key);
              return (
                box && (
                  <div key={key} class="net-group" style={styleOf(box)}>
                    <button type="button" class="flat" data-fold={key} aria-expanded onClick={() => fold(key, true)}>
                      <Title verb="Fold" sign="▾" title={title} members={members} />
                    </button>
                  </div>
                )
              );
            })}
            <Lines graph={graph} placed={placed} chosen={chosen} />
            {graph.nodes.map((node) => {
              const box = placed.nodes.get(node.key);
              const style = box && styleOf(box);
              return (
                style && <NodeBox key={node.key} node={node} style={style} isChosen={chosen === node.key} onOver={setOver} onKey={onKey} />
              );
            })}
            <Labels graph={graph} placed={placed} chosen={chosen} hasRoom={room !== "narrow"} />
          </div>
        )}
      </div>
      <Legend graph={graph} />
    </section>
  );
}

/** The size class of the graph, by the width that the nodes of three ranks need. */
function roomOf({ width }: Size): Room {
  return width >= 660 ? "wide" : width >= 440 ? "medium" : "narrow";
}

const styleOf = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }) => ({
  left: `${x}px`,
  top: `${y}px`,
  width: `${width}px`,
  height: `${height}px`,
});

/** Key of the group that was opened or folded last: its new button gets the focus of the old one. */
let turned: string | null = null;

function fold(key: string, isFolded: boolean): void {
  turned = key;
  graphFolds.value = { ...graphFolds.value, [key]: isFolded };
}

/** The graph with idle edges for the pairs that had traffic since this view was selected. */
function useIdleEdges(now: NetworkGraph, view: string): NetworkGraph {
  const before = useRef<{ view: string; edges: readonly GraphEdge[] }>({ view, edges: [] });
  const graph = before.current.view === view ? withIdle(now, before.current.edges) : now;
  before.current = { view, edges: graph.edges };
  return graph;
}

/**
 * The positions, computed again when the shape changes. The code for it is loaded for the first graph. Ranks go to the right or down, whichever
 * shows more of the graph.
 */
function usePlaced(graph: NetworkGraph, room: Room, size: Size): PlacedGraph | null {
  const [placed, setPlaced] = useState<readonly PlacedGraph[]>([]);
  const shape = shapeOf(graph);
  const newest = useRef(graph);
  newest.current = graph;
  const isSized = size.width > 0;
  // The shape does not change with traffic alone, so that then nothing moves.
  useEffect(() => {
    if (!isSized) return;
    let isOver = false;
    import("./graph-layout.ts")
      .then(({ placeGraph }) => {
        if (!isOver) setPlaced([placeGraph(newest.current, room, "LR"), placeGraph(newest.current, room, "TB")]);
      })
      .catch(complain);
    return () => {
      isOver = true;
    };
  }, [shape, room, isSized]);
  const [right, down] = placed;
  return right && down && visiblePart(down, size) > visiblePart(right, size) ? down : (right ?? null);
}

/** After nodes have moved, scrolls the focused node into view, else the node with the most lines to the middle. */
function useScrollIntoView(
  scroller: { readonly current: HTMLElement | null },
  { edges, nodes }: NetworkGraph,
  placed: PlacedGraph | null,
): void {
  const newest = useRef({ edges, nodes });
  newest.current = { edges, nodes };
  useEffect(() => {
    const box = scroller.current;
    if (!box || !placed) return;
    if (turned !== null) box.querySelector<HTMLElement>(`[data-fold="${CSS.escape(turned)}"]`)?.focus({ preventScroll: true });
    turned = null;
    const focused = document.activeElement;
    if (box !== focused && box.contains(focused)) return focused?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const linesOf = (key: string) => newest.current.edges.filter(({ ends }) => ends.includes(key)).length;
    const [hub] = newest.current.nodes.map(({ key }) => key).sort((one, other) => linesOf(other) - linesOf(one));
    const place = placed.nodes.get(hub ?? "");
    if (place) box.scrollTop = place.y + place.height / 2 - box.clientHeight / 2;
  }, [scroller, placed]);
}

/** The visible part of the width, which counts twice, and of the height; a phone scrolls down, not sideways. */
function visiblePart({ width, height }: PlacedGraph, size: Size): number {
  return Math.min(1, size.width / width) * 2 + Math.min(1, size.height / height);
}

interface LinesProps {
  readonly graph: NetworkGraph;
  readonly placed: PlacedGraph;
  readonly chosen: string | null;
}

/** The lines: one for each pair, and thin ones to networks. */
function Lines({ graph: { edges }, placed, chosen }: LinesProps) {
  return (
    <svg class="net-lines" width={placed.width} height={placed.height} aria-hidden="true">
      {placed.memberships.map((path) => (
        <path key={path} class="membership" d={path} />
      ))}
      {edges.map((edge) => {
        const line = placed.edges.get(edge.key);
        const isOn = chosen !== null && edge.ends.includes(chosen);
        const state = chosen === null ? "" : isOn ? "on" : "off";
        const className = `${edge.age > 0 ? "old" : ""} ${edge.problem === null ? "" : edge.problem === "error" ? "bad" : "warn"}`;
        const bytes = edge.there + edge.back;
        return (
          line && (
            <g key={edge.key} class={`pair ${state} ${className} ${bytes === 0 ? "idle" : ""}`}>
              <path d={line.path} style={{ strokeWidth: widthOf(bytes) }} />
            </g>
          )
        );
      })}
    </svg>
  );
}

/** Rates on the lines, above everything: on all lines if they are few and there is room, else on those of the selected node. */
function Labels({ graph: { edges }, placed, chosen, hasRoom }: LinesProps & { hasRoom: boolean }) {
  const labelled = edges.filter(({ ends, there, back }) => {
    const isShown = chosen === null ? hasRoom && edges.length <= MAX_LABELS : ends.includes(chosen);
    return isShown && there + back > 0;
  });
  return (
    <svg class="net-lines" width={placed.width} height={placed.height} aria-hidden="true">
      {labelled.map(({ key, there, back }) => {
        const label = placed.edges.get(key)?.label;
        return (
          label && (
            <text key={key} x={label.x} y={label.y} dy="0.35em">
              {short(there + back)}
            </text>
          )
        );
      })}
    </svg>
  );
}

interface NodeProps {
  readonly node: GraphNode;
  readonly style: Record<string, string>;
  readonly isChosen: boolean;
  readonly onOver: (key: string | null) => void;
  readonly onKey: (event: KeyboardEvent, key: string) => void;
}

function NodeBox({ node, style, isChosen, onOver, onKey }: NodeProps) {
  const { key, kind, title, members, received, sent, age, isGateway, problem } = node;
  const className = `net-node ${kind} ${age > 0 ? "old" : ""} ${problem === null ? "" : problem === "error" ? "bad" : "warn"}`;
  if (kind === "network") {
    const netmasks = topology.value?.networks.find(({ name }) => name === title)?.netmasks.join(" ") ?? "";
    return (
      <div class={className} style={style} title={`Network ${title} ${netmasks}`}>
        <b>{title}</b>
        {netmasks !== title && <span class="soft netmasks">{netmasks}</span>}
      </div>
    );
  }
  const traffic = `↑${short(sent)} ↓${short(received)}`;
  const facts = `sends ${byteRate(sent)}, receives ${byteRate(received)}${isGateway ? ", gateway" : ""}${age > 0 ? `, ${ageText(age)}` : ""}`;
  return (
    <button
      type="button"
      class={`${className} ${isChosen ? "chosen" : ""}`}
      style={style}
      data-node={key}
      data-fold={kind === "group" ? key : undefined}
      title={kind === "group" ? `${title}: ${members.join(", ")}` : title}
      aria-expanded={kind === "group" ? false : undefined}
      aria-pressed={kind === "group" ? undefined : pickedHost.value === title}
      onClick={() => {
        if (kind === "group") fold(key, false);
        else pickedHost.value = pickedHost.value === title ? null : title;
      }}
      onMouseEnter={() => onOver(key)}
      onMouseLeave={() => onOver(null)}
      onFocus={() => onOver(key)}
      onBlur={() => onOver(null)}
      onKeyDown={(event) => onKey(event, key)}
    >
      <b>
        {kind === "group" ? <Title verb="Open" sign="▸" title={title} members={members} /> : title}
        {isGateway && (
          <span class="gateway" aria-hidden="true">
            {" "}
            ⇆
          </span>
        )}
        <span class="unseen"> {facts}</span>
      </b>
      <span class="soft traffic" aria-hidden="true">
        {age > 0 ? ageText(age) : traffic}
      </span>
    </button>
  );
}

/** The title of a group, with a sign for the eye and words for screen readers. */
function Title({ verb, sign, title, members }: { verb: string; sign: string; title: string; members: readonly string[] }) {
  return (
    <>
      <span class="unseen">{verb} </span>
      <span aria-hidden="true">{sign} </span>
      {title}
      <span aria-hidden="true"> · {members.length}</span>
      <span class="unseen"> {members.length} members</span>
    </>
  );
}

/** A rate without "/s", with few decimals and a narrow space, since a node is small. */
const short = (bytes: number) =>
  byteRate(bytes)
    .replace("/s", "")
    .replace(/(\d\d)\.\d/, "$1")
    .replace(" ", "\u202f");

function Legend({ graph: { groups, nodes } }: { graph: NetworkGraph }) {
  const folded = nodes.filter(({ kind }) => kind === "group");
  const setAll = (isFolded: boolean) => {
    const keys = [...groups, ...folded].map(({ key }) => [key, isFolded]);
    graphFolds.value = { ...graphFolds.value, ...Object.fromEntries(keys) };
  };
  return (
    <footer class="net-legend soft">
      {LEGEND.map((bytes) => (
        <span key={bytes} class="in-row">
          <svg width="26" height="12" aria-hidden="true">
            <line x1="1" x2="25" y1="6" y2="6" style={{ strokeWidth: widthOf(bytes) }} />
          </svg>
          {byteRate(bytes)}
        </span>
      ))}
      <span class="grow" />
      {groups.length + folded.length > 0 && (
        <>
          <Button enabled={folded.length > 0} onClick={() => setAll(false)}>
            Open all
          </Button>
          <Button enabled={groups.length > 0} onClick={() => setAll(true)}>
            Fold all
          </Button>
        </>
      )}
    </footer>
  );
}
