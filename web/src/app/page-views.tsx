import type { ComponentChildren } from "preact";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import type { PageView } from "../actions/page-feature.ts";
import { ConfigView } from "../config/config-view.tsx";
import { features } from "../features/index.ts";
import { LogView } from "../log/log-view.tsx";
import { AllView, GroupView } from "../overview/group-view.tsx";
import { Overview } from "../overview/overview.tsx";
import { ProcessView } from "../process/process-view.tsx";
import type { Pane } from "../state/layout.ts";
import type { CoreViews, View } from "../state/views.ts";

export const featureViews: readonly PageView[] = features.flatMap(({ views = [] }) => views);

const CORE: { [Kind in keyof CoreViews]: PageView<Kind>["Body"] } = {
  overview: () => <Overview />,
  all: () => <AllView />,
  log: () => <LogView />,
  config: () => <ConfigView />,
  process: ({ view, pane }) => <ProcessView name={view.name} pane={pane} More={ProcessButtons} />,
  group: ({ view }) => <GroupView name={view.name} />,
};
const BODIES: Readonly<Record<string, PageView["Body"]>> = {
  ...CORE,
  ...Object.fromEntries(featureViews.map(({ kind, Body }) => [kind, Body])),
};

function ProcessButtons({ process }: { process: Process }): ComponentChildren {
  return features.map(({ ProcessButton }, index) => ProcessButton && <ProcessButton key={index} process={process} />);
}

export function ViewBox({ view, pane }: { view: View; pane: Pane }) {
  const Body = BODIES[view.kind];
  return Body && <Body view={view} pane={pane} />;
}

/** Loads the code of all views, so that they open at once, also after a newer manager has started. */
export function preloadViews(): void {
  for (const { preload } of featureViews) preload?.();
}
