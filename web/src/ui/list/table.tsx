import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { sorted } from "./sorted.ts";

export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => ComponentChildren;
  /** The value to sort by; without it the column cannot be sorted. */
  readonly value?: (item: T) => string | number;
  readonly isNumber?: boolean;
  /** Omitted in a narrow table. */
  readonly isWide?: boolean;
  /** Omitted on a phone. */
  readonly isMedium?: boolean;
}

export interface TableProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  /** The text of the first column, a button that selects the row. */
  readonly nameOf: (item: T) => string;
  readonly nameTitle: string;
  readonly columns: readonly Column<T>[];
  readonly selected: string | null;
  readonly onSelect: (key: string) => void;
  /** Shown if there are no items. */
  readonly empty: ComponentChildren;
}

/** A table whose rows can be selected: by a click, by Enter on a name, or by the arrow keys between names. */
export function DataTable<T>({ label, items, keyOf, nameOf, nameTitle, columns, selected, onSelect, empty }: TableProps<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [order, setOrder] = useState<{ title: string; turned: boolean } | null>(null);
  const by = columns.find(({ title }) => title === order?.title)?.value ?? (order === null ? undefined : nameOf);
  const rows = by === undefined ? items : sorted(items, by, order?.turned ?? false);
  const turn = (title: string) =>
    setOrder((before) => (before?.title !== title ? { title, turned: false } : before.turned ? null : { title, turned: true }));
  const step = (event: KeyboardEvent, index: number) => {
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
    const button = to === undefined ? undefined : body.current?.querySelectorAll<HTMLElement>("button.row-name")[to];
    if (!button) return;
    button.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const head = (title: string, isNumber = false, room = "") => (
    <th
      key={title}
      scope="col"
      class={`${isNumber ? "number" : ""} ${room}`}
      aria-sort={order?.title === title ? (order.turned ? "descending" : "ascending") : undefined}
    >
      <button type="button" class="head" onClick={() => turn(title)} title={`Sort by ${title.toLowerCase()}`}>
        {title}
        {order?.title === title && <span aria-hidden="true">{order.turned ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <section class="data-table fluid" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head(nameTitle)}
            {columns.map(({ title, isNumber, ...column }) => head(title, isNumber, roomOf(column)))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((item, index) => {
            const key = keyOf(item);
            return (
              <tr key={key} data-key={key} class={key === selected ? "selected" : ""} onClick={() => onSelect(key)}>
                <td class="of-name">
                  <button
                    type="button"
                    class="linklike row-name"
                    aria-pressed={key === selected}
                    title={nameOf(item)}
                    onKeyDown={(event) => step(event, index)}
                  >
                    {nameOf(item)}
                  </button>
                </td>
                {columns.map(({ title, cell, isNumber, ...column }) => (
                  <td key={title} class={`${isNumber ? "number" : ""} ${roomOf(column)}`}>
                    {cell(item)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {items.length === 0 && <div class="empty nothing">{empty}</div>}
    </section>
  );
}

const roomOf = ({ isWide, isMedium }: Pick<Column<unknown>, "isWide" | "isMedium">) => (isWide ? "wide" : isMedium ? "medium" : "");
