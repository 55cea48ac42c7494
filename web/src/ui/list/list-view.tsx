import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { FilterBar } from "./filter-bar.tsx";
import { DataTable, type TableProps } from "./table.tsx";
import { filterByWords } from "./word-filter.ts";

interface Props<T> extends Omit<TableProps<T>, "onSelect"> {
  /** The text that the filter searches. */
  readonly textOf: (item: T) => readonly string[];
  readonly filter: Signal<string>;
  /** Called with the key of the selected item; null if its panel was closed. */
  readonly onSelect: (key: string | null) => void;
  /** Buttons beside the filter. */
  readonly tools?: ComponentChildren;
  readonly panelOf: (item: T, onClose: () => void) => ComponentChildren;
  /** Shown instead of the panel of the selected item. */
  readonly form?: ComponentChildren;
}

/** A list that can be filtered and sorted, and beside it the panel of the selected item, or a form. */
export function ListView<T>({ items, textOf, filter, tools, panelOf, form, onSelect, empty, ...table }: Props<T>) {
  const { label, keyOf, selected } = table;
  const shown = filterByWords(items, filter.value, (item) => textOf(item).join(" "));
  const item = items.find((one) => keyOf(one) === selected);
  return (
    <>
      <FilterBar text={filter} label={`Filter ${label.toLowerCase()}`} shown={shown.length} all={items.length}>
        {tools && <span class="grow" />}
        {tools}
      </FilterBar>
      <div class="data-body">
        <DataTable {...table} items={shown} onSelect={onSelect} empty={items.length > 0 ? <p>No matches.</p> : empty} />
        {form || (item && panelOf(item, () => onSelect(null)))}
      </div>
    </>
  );
}
