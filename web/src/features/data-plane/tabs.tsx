import type { SingleKind, ViewType } from "../../state/views.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import type { TabContent } from "./data-view.tsx";

interface Tab {
  readonly type: ViewType<SingleKind>;
  readonly load: () => Promise<TabContent>;
}
const tabs: Tab[] = [];

/** Adds a tab at the end of the data view; features call it when they start. */
export function addDataTab(type: ViewType<SingleKind>, load: () => Promise<TabContent>): void {
  tabs.push({ type, load });
}

/** Draws the view of each tab. All are loaded together: each shows the counts of the others. */
export const dataView = lazyView(async () => {
  const [{ BusDataView }, ...contents] = await Promise.all([
    import("./data-view.tsx"),
    ...tabs.map(async ({ type: { kind, title = kind }, load }) => ({ kind, title, ...(await load()) })),
  ]);
  return ({ view: { kind } }: { view: { kind: SingleKind } }) => <BusDataView kind={kind} tabs={contents} />;
});
