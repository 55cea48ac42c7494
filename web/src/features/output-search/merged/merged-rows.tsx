import { type Signal, useComputed } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { poppedOut } from "../../../state/navigation.ts";
import { openOutputAt } from "../../../terminal/places/open-at.ts";
import { isNarrow } from "../../../ui/browser/screen.ts";
import { useFollowing } from "../../../ui/list/following.ts";
import { drawnRows, useViewport } from "../../../ui/list/viewport.ts";
import { clockAt, now } from "../../../ui/time.ts";
import { toast } from "../../../ui/toasts.ts";
import { ALL } from "../views.ts";
import { hueOf, shortName } from "./hues.ts";
import { lineAt, type MergedLine } from "./merged-lines.ts";
import type { MergedOptions } from "./merged-options.ts";
import type { MergedStore } from "./merged-store.ts";

/** Row height in the style sheet, px: rows out of view are not drawn. */
const HEIGHT = 19;
const SPARE = 10;
/** Maximum widths of the column of names, characters. */
const NAME_WIDTH = { wide: 24, narrow: 12 };

interface Props {
  readonly of: string;
  readonly members: readonly string[];
  readonly store: MergedStore;
  readonly times: MergedOptions["times"];
  readonly follows: boolean;
  readonly onFollow: (follows: boolean) => void;
  /** A time to jump to. */
  readonly jump: Signal<{ readonly time: number } | null>;
}

/** The lines, of which only the visible ones are drawn. */
export function MergedRows({ of, members, store, times, follows, onFollow, jump }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const viewport = useViewport(box);
  const boxHeight = useComputed(() => viewport.value.height).value;
  const boxTop = useComputed(() => viewport.value.top);
  const following = useFollowing(onFollow);
  const droppedBefore = useRef(0);
  const { lines, dropped, longest } = store.drawn.value;
  const below = of === ALL ? 0 : of.length + 1;
  const names = useMemo(() => namesOf(members, below, isNarrow.value), [members, below, isNarrow.value]);
  const height = lines.length * HEIGHT;
  // Where the newest line is followed, each line scrolls: that is no reason to draw again.
  const top = follows ? Math.max(0, height - boxHeight) : boxTop.value;
  const { first, last } = drawnRows({ top, height: boxHeight, width: 0 }, { height: HEIGHT, count: lines.length, spare: SPARE });
  const wanted = jump.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (follows) element.scrollTop = element.scrollHeight;
    // The lines in view keep their place when those at the beginning are dropped.
    else if (dropped > droppedBefore.current) element.scrollTop -= (dropped - droppedBefore.current) * HEIGHT;
    droppedBefore.current = dropped;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || wanted === null) return;
    const index = lineAt(lines, wanted.time);
    if (index === null) toast("There is no output of that time or later");
    else element.scrollTop = Math.max(0, index * HEIGHT - element.clientHeight / 3);
  }, [wanted]);
  return (
    <div
      class="merged-lines"
      role="log"
      aria-label="Lines"
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
      tabIndex={0}
      ref={box}
      {...following}
      onScroll={(event) => {
        event.currentTarget.toggleAttribute("data-sideways", event.currentTarget.scrollLeft > 0);
        following.onScroll(event);
      }}
    >
      <div style={{ height: `${height}px`, "--columns": `${longest + names.width + 14}ch`, "--name": `${names.width}ch` }}>
        <div class="merged-drawn" style={{ transform: `translateY(${first * HEIGHT}px)` }}>
          {lines.slice(first, last).map((line) => (
            <Row key={line.id} line={line} name={names.of.get(line.name)} time={timeText(line.time, times)} />
          ))}
        </div>
      </div>
      {lines.length === 0 && <p class="empty">{store.isLoading.value ? "Loading…" : "No lines."}</p>}
    </div>
  );
}

interface ShownName {
  readonly text: string;
  readonly hue: number;
}

/** Names as they are shown: without the group of the view. */
function namesOf(members: readonly string[], below: number, narrow: boolean): { of: ReadonlyMap<string, ShownName>; width: number } {
  const most = narrow ? NAME_WIDTH.narrow : NAME_WIDTH.wide;
  const shown = members.map((name, index) => [name, { text: shortName(name.slice(below), most), hue: hueOf(index) }] as const);
  return { of: new Map(shown), width: Math.max(1, ...shown.map(([, { text }]) => text.length)) };
}

function Row({
  line: { name, text, time, isGap },
  name: shown,
  time: written,
}: {
  line: MergedLine;
  name: ShownName | undefined;
  time: string | null;
}) {
  return (
    <div class={isGap ? "merged-line warn" : "merged-line"}>
      {written !== null && <time>{written}</time>}
      <button
        type="button"
        tabIndex={-1}
        class={`linklike hue-${shown?.hue ?? 0}`}
        title={name}
        disabled={poppedOut}
        onClick={() => openOutputAt(name, { time: new Date(time ?? Date.now()).toISOString().slice(0, -1) })}
      >
        {shown?.text ?? name}
      </button>
      <span>{text}</span>
    </div>
  );
}

/** A line's time; null: times are not shown. */
function timeText(time: number | null, times: MergedOptions["times"]): string | null {
  if (times === "none") return null;
  if (time === null) return "";
  return times === "clock" ? clockAt(time) : agoText(Math.max(0, Math.round((now.value - time) / 1_000)));
}

function agoText(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m` : `${Math.floor(seconds / 86_400)}d`;
}
