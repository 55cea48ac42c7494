import type { ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { linkTo } from "../../state/navigation.ts";
import { type SingleKind, viewRefusal } from "../../state/views.ts";

export interface TabContent {
  readonly Content: ComponentType;
  /** The items whose number is shown beside the title. */
  readonly items?: ReadonlySignal<readonly unknown[]>;
}

interface Props {
  readonly kind: SingleKind;
  readonly tabs: readonly (TabContent & { readonly kind: SingleKind; readonly title: string })[];
}

/** The data of the programs: topics, services, parameters, and the programs themselves. */
export function BusDataView({ kind, tabs }: Props) {
  const kinds = useRef<HTMLElement>(null);
  useEffect(() => kinds.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }), [kind]);
  const shown = tabs.find((tab) => tab.kind === kind);
  const offered = tabs.filter((tab) => viewRefusal({ kind: tab.kind }) === null);
  return (
    <section class="data" aria-label={shown?.title}>
      <nav class="data-kinds" aria-label="Data" ref={kinds}>
        {offered.map((tab) => (
          <a key={tab.kind} {...linkTo({ kind: tab.kind })} aria-current={tab === shown ? "page" : undefined}>
            {tab.title} <span class="soft">{tab.items?.value.length}</span>
          </a>
        ))}
      </nav>
      {shown && <shown.Content />}
    </section>
  );
}
