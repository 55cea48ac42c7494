import { type Signal, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { stateHistory } from "../../process/state-history.ts";
import { StateStrip } from "../../process/state-strip.tsx";
import { shade } from "../../state/settings.ts";
import { hasProcess } from "../../state/store.ts";
import type { ViewOf } from "../../state/views.ts";
import { traceColors } from "../../ui/plot/trace-colors.ts";
import { Charts } from "./charts/charts.tsx";
import { nearest, valueAt } from "./charts/curve-data.ts";
import { MemberLegend } from "./charts/member-legend.tsx";
import { inOrder, membersOf, type PlotPanel, panelsOfGroup, panelsOfOne, ranksOf } from "./charts/panels.ts";
import type { Figure } from "./figures.ts";
import { HistoryToolbar } from "./history-toolbar.tsx";
import { EventsList } from "./marks/events-list.tsx";
import { timeOf } from "./marks/marks.ts";
import { MarksLane } from "./marks/marks-lane.tsx";
import { PlacePanel } from "./marks/place-panel.tsx";
import { isLive, moved, RANGES, type Range, type Span, within, zoomed } from "./range.ts";
import { goBack, type ShownRange, shownRange, showRange } from "./shown-range.ts";
import { lengthText, momentText } from "./time-text.ts";
import { type ShownHistory, useHistory } from "./use-history.ts";

/** Processes of a group with a colour of their own, and all that are drawn, at most: more hide one another. */
const MAX_COLORED = 10;
const MAX_DRAWN = 200;
/** Cells of the strip of states. */
const STATE_CELLS = 300;
/** Step of an arrow key, and with Shift, as fractions of the visible time. */
const KEY_STEP = 0.01;
const KEY_MOVE = 0.25;
/** Events so near to a picked time are listed with it, as a fraction of the visible time. */
const NEAR = 0.01;
/** Processes of a group whose output can be opened at a time. */
const MAX_OUTPUTS = 5;

interface Props {
  readonly view: ViewOf<"history">;
  readonly isMany: boolean;
  readonly figures: readonly Figure[];
  readonly extras: Signal<readonly string[]> | null;
}

/** Range, events and charts on one time axis; beside them the processes of a group. */
export function HistoryBody({ view, isMany, figures, extras }: Props) {
  const shown = shownRange(view);
  const history = useHistory({ view, range: shown.value.range, figures, isMany }).value;
  const hovered = useSignal<number | null>(null);
  const picked = useSignal<{ readonly time: number; readonly byKey: boolean } | null>(null);
  const order = useSignal("cpu");
  const { curves, events, span } = history;
  const colors = useMemo(() => traceColors(shade.value).slice(0, MAX_COLORED), [shade.value]);
  const measured = useMemo(() => (curves === null || !isMany ? [] : membersOf(curves, figures, span)), [curves, figures, isMany]);
  // Live samples change no ranks: rows do not move with each second.
  const ranks = useMemo(() => ranksOf(measured, order.value), [history.answers, order.value]);
  const members = useMemo(() => inOrder(measured, ranks), [measured, ranks]);
  const panels = useMemo((): PlotPanel[] => {
    if (curves === null) return [];
    if (!isMany) return panelsOfOne(curves, figures, colors);
    return panelsOfGroup(members, figures, { colors, faint: shade.value === "dark" ? "#6b7c8d" : "#9aa7b4", most: MAX_DRAWN });
  }, [curves, members, figures, colors]);
  const times = curves?.times ?? [];
  const isOne = !isMany && view.about === "processes";
  const marks = useMemo(() => marksIn(history, { theme: shade.value, isOne }), [events, shade.value]);
  const actions = {
    onSelect: (selected: Span) => showRange(shown, within(selected, Date.now())),
    onFingers: (moving: Span) => showRange(shown, within(moving, Date.now()), !isLive(shown.peek().range)),
    onZoomOut: () => zoomOut(shown, span),
    onPick: (time: number) => {
      picked.value = { time, byKey: false };
    },
    whole: () => ({ from: curves?.oldest ?? span.from, until: Date.now() }),
  };
  const onKey = (key: string, isShift: boolean): boolean => {
    const length = span.until - span.from;
    const at = hovered.peek() ?? (span.from + span.until) / 2;
    const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (side !== undefined && isShift) showRange(shown, moved(span, side * KEY_MOVE, Date.now()), !isLive(shown.peek().range));
    else if (side !== undefined) hovered.value = Math.min(span.until, Math.max(span.from, at + side * KEY_STEP * length));
    else if (key === "+" || key === "=") showRange(shown, zoomed(span, 0.5, at, Date.now()));
    else if (key === "-") widen(shown, span);
    else if (key === "Enter") picked.value = { time: at, byKey: true };
    else if (key === "Escape") return goBack(shown);
    else return false;
    return true;
  };
  const isEmpty = curves !== null && panels.every((panel) => panel.curves.length === 0);
  const below = isMany ? (view.name ?? "") : "";
  return (
    <div class="history-body">
      <HistoryToolbar shown={shown} span={span} extras={extras} />
      {history.problem !== null && (
        <p class="why bad" role="alert">
          {history.problem}
        </p>
      )}
      <div class="history-columns">
        <section
          class="history-axis"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys are those of the pointer
          tabIndex={0}
          aria-label="Charts. Arrow keys move the pointer, Shift and arrow keys the range, + and − zoom, Enter shows what there is at the pointer, Escape goes back"
          aria-busy={history.isLoading}
          onKeyDown={(event) => {
            if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
            if (!onKey(event.key, event.shiftKey)) return;
            event.preventDefault();
            event.stopPropagation();
          }}
        >
          <MarksLane events={events} span={span} onPick={actions.onPick} />
          {isOne && <States history={history} />}
          {isEmpty && <Nothing view={view} />}
          <Charts panels={panels} times={times} span={span} marks={marks} hovered={hovered} actions={actions} hasLegend={!isMany} />
          <Spoken panels={panels} times={times} hovered={hovered} />
        </section>
        {isMany && members.length > 0 && (
          <MemberLegend
            {...{ members, figures, colors, times, hovered, below }}
            order={order.value}
            onOrder={(key) => {
              order.value = key;
            }}
          />
        )}
      </div>
      {picked.value !== null && (
        <PlacePanel
          time={picked.value.time}
          takesFocus={picked.value.byKey}
          names={outputsAt({ view, isMany, members })}
          values={isMany ? [] : valuesAt(panels, times, picked.value.time)}
          events={(events?.events ?? []).filter(
            (event) => Math.abs(timeOf(event) - (picked.value?.time ?? 0)) <= NEAR * (span.until - span.from),
          )}
          onClose={() => {
            picked.value = null;
          }}
        />
      )}
      <Notes history={history} members={members.length} />
      {events !== null && <EventsList found={events} span={span} onPick={actions.onPick} />}
    </div>
  );
}

/** Shows the range before the last zoom, else more than before. */
function zoomOut(shown: Signal<ShownRange>, span: Span): void {
  if (!goBack(shown)) widen(shown, span);
}

function widen(shown: Signal<ShownRange>, span: Span): void {
  const { range } = shown.peek();
  const longer: Range | undefined = isLive(range) ? RANGES.map(([last]) => ({ last })).find(({ last }) => last > range.last) : undefined;
  if (longer !== undefined) showRange(shown, longer);
  else if (!isLive(range)) showRange(shown, zoomed(span, 2, (span.from + span.until) / 2, Date.now()));
}

/** The states of a process, below the marks. */
function States({ history: { events, span } }: { history: ShownHistory }) {
  const changes = (events?.events ?? []).flatMap(({ ts, change }) => (change === undefined ? [] : [{ ts, ...change }]));
  return (
    <div class="history-lane history-states">
      <StateStrip changes={stateHistory({ changes, history: [] }, null)} begin={span.from} end={span.until} cells={STATE_CELLS} />
    </div>
  );
}

/** Changes of the configuration, and the failures of the only process, are lines through all charts. */
function marksIn({ events }: ShownHistory, { theme, isOne }: { theme: "dark" | "light"; isOne: boolean }) {
  const [bad, changed] = theme === "dark" ? ["#f5827d", "#62aef2"] : ["#b92924", "#1262b0"];
  return (events?.events ?? []).flatMap((event) => {
    if (event.kind !== "configuration" && !(isOne && event.kind === "crash")) return [];
    return [{ time: timeOf(event), color: event.kind === "crash" ? bad : changed }];
  });
}

function Nothing({ view }: { view: ViewOf<"history"> }) {
  return (
    <p class="empty">
      {view.about === "host"
        ? "Nothing was measured in this time."
        : "Nothing was measured in this time. Processes are measured every 10 s while they run."}
    </p>
  );
}

/** How far back the history goes, and what a point stands for. */
function Notes({ history: { curves, away }, members }: { history: ShownHistory; members: number }) {
  if (curves === null) return null;
  const { oldest, step, resolution } = curves;
  const since = oldest === null ? "There is no history yet." : `The history begins at ${momentText(oldest)}.`;
  const point =
    step === 0 ? "" : ` A point is ${lengthText(step)}${step === resolution ? "" : `, from measurements of ${lengthText(resolution)}`}.`;
  return (
    <p class="soft history-notes">
      {since}
      {point}
      {members > MAX_DRAWN && ` The ${MAX_DRAWN} processes that use the most are drawn, of ${members}.`}
      {away.length > 0 && ` Not asked, because they cannot be reached: ${away.join(", ")}.`} Drag to zoom in; double-click or Escape zooms
      out; a click shows what there is at a time. Times are by the clock of the host.
    </p>
  );
}

function valuesAt(panels: readonly PlotPanel[], times: readonly number[], time: number): [string, string][] {
  const at = nearest(times, time / 1_000);
  return panels.flatMap(({ figure, curves }) =>
    curves.map(({ label, values }): [string, string] => {
      const value = valueAt(values, at);
      return [label === "" ? figure.title : `${figure.title}, ${label}`, value === null ? "–" : figure.text(value)];
    }),
  );
}

/** The values at the pointer, for screen readers; of many processes they are in the table. A part of its own: what follows the pointer is drawn often. */
function Spoken({ panels, times, hovered }: { panels: readonly PlotPanel[]; times: readonly number[]; hovered: Signal<number | null> }) {
  const time = hovered.value;
  const isFew = panels.every(({ curves }) => curves.length <= 4);
  const values = time === null || !isFew ? [] : valuesAt(panels, times, time).map(([title, value]) => `${title} ${value}`);
  return (
    <span class="unseen" role="status">
      {time === null ? "" : [momentText(time), ...values].join(", ")}
    </span>
  );
}

function outputsAt({
  view,
  isMany,
  members,
}: {
  view: ViewOf<"history">;
  isMany: boolean;
  members: readonly { name: string }[];
}): string[] {
  if (view.about === "host") return [];
  const names = isMany ? members.slice(0, MAX_OUTPUTS).map(({ name }) => name) : [view.name ?? ""];
  return names.filter(hasProcess);
}
