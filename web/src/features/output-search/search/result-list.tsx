import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { openOutputAt } from "../../../terminal/places/open-at.ts";
import { isNarrow } from "../../../ui/browser/screen.ts";
import { useRowWindow } from "../../../ui/list/row-window.ts";
import { Icon } from "../../../ui/marks/icons.tsx";
import { Name } from "../../../ui/name.tsx";
import { clockTime } from "../../../ui/time.ts";
import { type FoundHit, type ResultRow, shownHit } from "./result-rows.ts";
import { foldProcess, results, searchState, toggleContext } from "./search-run.ts";

/** Row heights in the style sheet, px: rows out of view are not drawn. */
const rowHeight = () => (isNarrow.value ? 34 : 24);

const LEVELS = { process: 1, hit: 2, line: 3 } as const;

/** The hits below their processes: a tree of thousands of rows, of which only the visible ones are drawn. */
export function ResultList({ box }: { box: RefObject<HTMLDivElement | null> }) {
  const { all, version } = results.value;
  const rows = useMemo(() => all.rows(), [all, version]);
  const height = rowHeight();
  const { first, drawn, tabStop, ...list } = useRowWindow({ box, rows, keyOf: ({ key }) => key, height });
  const onKey = (event: KeyboardEvent) => {
    const index = list.focusedIndex();
    const row = rows[index];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = list.target(event.key);
    if (to !== null) list.go(to);
    else if (event.key === "Enter") openRow(row);
    else if (event.key === " ") toggleRow(row);
    else if (event.key === "ArrowRight") {
      if (isFolded(row)) toggleRow(row);
      else if (row.kind !== "line") list.go(index + 1);
    } else if (event.key === "ArrowLeft") {
      if (row.kind !== "line" && !isFolded(row)) toggleRow(row);
      else list.go(rows.findLastIndex((one, at) => at < index && LEVELS[one.kind] < LEVELS[row.kind]));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="search-results" ref={box}>
      <div role="tree" aria-label="Hits" style={{ height: `${rows.length * height}px` }}>
        {drawn.map((row, index) => (
          <Row
            key={row.key}
            row={row}
            top={(first + index) * height}
            isTabStop={row.key === tabStop}
            onFocus={() => list.onFocus(row.key)}
            onKeyDown={onKey}
          />
        ))}
      </div>
      {rows.length === 0 && searchState.value.kind === "done" && <p class="empty nothing">No line matches.</p>}
    </div>
  );
}

interface RowProps {
  readonly row: ResultRow;
  readonly top: number;
  readonly isTabStop: boolean;
  readonly onFocus: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function Row({ row, top, isTabStop, onFocus, onKeyDown }: RowProps) {
  return (
    <div
      role="treeitem"
      data-key={row.key}
      class={`result of-${row.kind}`}
      tabIndex={isTabStop ? 0 : -1}
      aria-level={LEVELS[row.kind]}
      aria-expanded={row.kind === "line" ? undefined : !isFolded(row)}
      aria-selected={isTabStop}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const isOnArrow = event.target instanceof Element && event.target.closest(".fold") !== null;
        if (isOnArrow) toggleRow(row);
        else openRow(row);
      }}
    >
      {row.kind === "process" ? (
        <ProcessRow row={row} />
      ) : row.kind === "hit" ? (
        <HitRow found={row.found} isOpen={row.isOpen} />
      ) : (
        <LineRow row={row} />
      )}
    </div>
  );
}

function Fold({ isOpen, title }: { isOpen: boolean; title: string }) {
  return (
    <span class={`fold ${isOpen ? "open" : ""}`} title={title}>
      <Icon name="next" />
    </span>
  );
}

function ProcessRow({ row }: { row: ResultRow & { kind: "process" } }) {
  return (
    <>
      <Fold isOpen={!row.isFolded} title={row.isFolded ? "Show its hits" : "Hide its hits"} />
      <Name name={row.name} />
      <span class="soft count">{row.count.toLocaleString("en")}</span>
      <span class="soft host">{row.host}</span>
    </>
  );
}

function HitRow({ found: { hit }, isOpen }: { found: FoundHit; isOpen: boolean }) {
  const { before, match, after } = shownHit(hit);
  return (
    <>
      <Fold isOpen={isOpen} title={isOpen ? "Hide the lines around it" : "Show the lines around it"} />
      <time class="soft" dateTime={hit.time === null ? undefined : `${hit.time}Z`} title={hit.time === null ? "" : `${hit.time} UTC`}>
        {hit.time === null ? "" : clockTime(hit.time)}
      </time>
      <code title={hit.place === null ? "Not in memory any more: opens the lines around it" : "Opens the terminal at this line"}>
        {before}
        <mark>{match}</mark>
        {after}
      </code>
    </>
  );
}

function LineRow({ row }: { row: ResultRow & { kind: "line" } }) {
  return row.role === "about" ? <span class="soft about">{row.text}</span> : <code class={`is-${row.role}`}>{row.text}</code>;
}

const isFolded = (row: ResultRow): boolean => (row.kind === "process" ? row.isFolded : row.kind === "hit" && !row.isOpen);

/** Shows or hides what is below a row. */
function toggleRow(row: ResultRow): void {
  if (row.kind === "process") foldProcess(row.name, !row.isFolded);
  else if (row.kind === "hit") void toggleContext(row.found);
}

/** Opens the terminal at a hit, or the lines around it if it is not in memory. */
function openRow(row: ResultRow): void {
  if (row.kind !== "hit" || row.found.hit.place === null) toggleRow(row);
  else openOutputAt(row.found.hit.name, row.found.hit.place);
}
