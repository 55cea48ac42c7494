import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useHeldRows } from "../../ui/list/held-rows.ts";
import { sorted } from "../../ui/list/sorted.ts";
import { Icon, IconButton } from "../../ui/marks/icons.tsx";

export interface TrafficColumn<T> {
  readonly title: string;
  readonly cell: (item: T) => ComponentChildren;
  /** The value to sort by; without it the column cannot be sorted. */
  readonly value?: (item: T) => string | number;
  readonly isNumber?: boolean;
  /** The cell is a line of values. */
  readonly isLine?: boolean;
  /** Omitted in narrow tables. */
  readonly isWide?: boolean;
  /** Title of the wide column that this column also shows in narrow tables. */
  readonly and?: string;
}

/** A row below another one. */
export interface Part<T> {
  readonly key: string;
  readonly name: ComponentChildren;
  readonly item: T;
}

interface Props<T, P> {
  readonly label: string;
  /** Class of the whole table. */
  readonly tableClass?: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly nameTitle: string;
  readonly nameOf: (item: T) => ComponentChildren;
  /** The class of a row: its values are old, or something is wrong. */
  readonly classOf: (item: T) => string;
  readonly columns: readonly TrafficColumn<T | P>[];
  /** The column that sorts the rows at first; otherwise they are in the order of the items. */
  readonly first?: string;
  /** Key of the filter: if it changes, the rows are sorted and filtered again even while the pointer holds them. */
  readonly view: string;
  /** The parts that a row opens to, and whether it is open. */
  readonly parts?: { of: (item: T) => readonly Part<P>[]; isOpen: (item: T) => boolean; toggle: (item: T) => void };
  /** Called when a name without parts is clicked. */
  readonly onPick?: (item: T) => void;
  readonly isPicked?: (item: T) => boolean;
  readonly onHide?: (item: T) => void;
  readonly empty: ComponentChildren;
}

/** A table whose rows may open to their parts. Arrow keys move between names, Right and Left open and close, H hides. */
export function TrafficTable<T, P = never>(props: Props<T, P>) {
  const { label, items, keyOf, nameTitle, nameOf, classOf, columns, parts, onPick, isPicked, onHide, empty } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [order, setOrder] = useState<{ title: string; turned: boolean } | null>(
    props.first === undefined ? null : { title: props.first, turned: true },
  );
  const [hasFocus, setFocus] = useState(false);
  const by = columns.find(({ title }) => title === order?.title)?.value;
  const now = by === undefined ? (order?.turned ? items.toReversed() : items) : sorted(items, by, order?.turned ?? false);
  const held = useHeldRows(now, keyOf, [props.view, order?.title, order?.turned].join(), hasFocus);
  const turn = (title: string, isNumber: boolean) =>
    setOrder((before) => (before?.title === title ? { title, turned: !before.turned } : { title, turned: isNumber }));
  const step = (event: KeyboardEvent, item: T | null) => {
    const names = [...(body.current?.querySelectorAll<HTMLElement>("button.row-name") ?? [])];
    const at = names.indexOf(event.currentTarget as HTMLElement);
    const isOpen = item !== null && parts?.isOpen(item) === true;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to !== undefined) names[to]?.focus();
    else if (item !== null && parts !== undefined && event.key === (isOpen ? "ArrowLeft" : "ArrowRight")) parts.toggle(item);
    else if (item !== null && onHide !== undefined && event.key === "Delete") {
      (names[at + 1] ?? names[at - 1])?.focus();
      onHide(item);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const head = ({ title, and, isNumber, isWide, isLine }: Omit<TrafficColumn<T>, "cell">, canSort: boolean) => (
    <th
      key={title}
      scope="col"
      class={`${isNumber ? "number" : ""} ${isWide ? "wide" : ""} ${isLine ? "of-line" : ""}`}
      aria-sort={order?.title === title ? (order.turned ? "descending" : "ascending") : undefined}
    >
      {canSort ? (
        <button type="button" class="head" onClick={() => turn(title, isNumber ?? false)} title={`Sort by ${title.toLowerCase()}`}>
          {title}
          {and && <span class="narrow">/ {and}</span>}
          {order?.title === title && <span aria-hidden="true">{order.turned ? "↓" : "↑"}</span>}
        </button>
      ) : (
        title
      )}
    </th>
  );
  const cells = (item: T | P) =>
    columns.map(({ title, cell, isNumber, isWide, isLine }) => (
      <td key={title} class={`${isNumber ? "number" : ""} ${isWide ? "wide" : ""} ${isLine ? "of-line" : ""}`}>
        {cell(item)}
      </td>
    ));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <section class={`data-table traffic-table ${props.tableClass ?? ""}`} tabIndex={0} aria-label={label}>
      <table {...held.hold}>
        <thead>
          <tr>
            {head({ title: nameTitle }, true)}
            {columns.map((column) => head(column, column.value !== undefined))}
            {onHide && (
              <th scope="col" class="of-hide">
                <span class="unseen">Hide</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body} onFocusIn={() => setFocus(true)} onFocusOut={() => setFocus(false)}>
          {held.rows.flatMap((item) => {
            const key = keyOf(item);
            const isOpen = parts?.isOpen(item) ?? false;
            const act = parts ? () => parts.toggle(item) : () => onPick?.(item);
            return [
              <tr key={key} data-key={key} class={`${classOf(item)} ${isPicked?.(item) ? "selected" : ""}`}>
                <td class="of-name">
                  <button
                    type="button"
                    class={`row-name flat ${parts ? "opens" : ""}`}
                    aria-expanded={parts ? isOpen : undefined}
                    aria-pressed={isPicked?.(item)}
                    onClick={act}
                    onKeyDown={(event) => step(event, item)}
                  >
                    {parts && <Icon name={isOpen ? "down" : "next"} />}
                    {nameOf(item)}
                  </button>
                </td>
                {cells(item)}
                {onHide && (
                  <td class="of-hide">
                    <IconButton icon="hide" label="Hide  h" word="Hide" onClick={() => onHide(item)} />
                  </td>
                )}
              </tr>,
              ...(isOpen && parts ? parts.of(item) : []).map((part) => (
                <tr key={`${key}\n${part.key}`} data-key={part.key} class={`part-row ${classOf(item)}`}>
                  <td class="of-name">{part.name}</td>
                  {cells(part.item)}
                  {onHide && <td class="of-hide" />}
                </tr>
              )),
            ];
          })}
        </tbody>
      </table>
      {items.length === 0 && <div class="empty nothing">{empty}</div>}
    </section>
  );
}
