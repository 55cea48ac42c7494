import type { PageView } from "../../actions/page-feature.ts";
import type { SingleKind, ViewType } from "../../state/views.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import type { TabContent } from "./data-view.tsx";

interface Tab {
  readonly type: ViewType<SingleKind>;
  readonly load: () => Promise<TabContent>;
}
const tabs: Tab[] = [];

/** All tabs are loaded together: each shows the counts of the others. */
const drawn = lazyView(async () => {
  const [{ BusDataView }, ...contents] = await Promise.all([
    import("./data-view.tsx"),
    ...tabs.map(async ({ type: { kind, title = kind }, load }) => ({ kind, title, ...(await load()) })),
  ]);
  return ({ view: { kind } }: { view: { kind: SingleKind } }) => <BusDataView kind={kind} tabs={contents} />;
});

/** Adds a tab to the data view; the tab is a view of the page. */
export function dataTab<Kind extends SingleKind>(type: ViewType<Kind>, load: () => Promise<TabContent>): PageView<Kind> {
  tabs.push({ type, load });
  return { ...type, ...drawn };
}
