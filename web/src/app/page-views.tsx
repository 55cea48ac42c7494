import type { ComponentChildren } from "preact";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import type { PageView } from "../actions/page-feature.ts";
import { type ListeningOn, PortLinks } from "../actions/port-links.ts";
import { features } from "../features/index.ts";
import { LogView } from "../log/log-view.tsx";
import { AllView, GroupView } from "../overview/group-view.tsx";
import { Overview } from "../overview/overview.tsx";
import { ProcessView } from "../process/process-view.tsx";
import type { Pane } from "../state/layout.ts";
import { isLoaded } from "../state/store.ts";
import { type CoreViews, typeOf, type View, viewRefusal } from "../state/views.ts";
import { lazyView } from "../ui/lazy-view.tsx";

export const featureViews: readonly PageView[] = features.flatMap(({ views = [] }) => views);

const curves = features.flatMap(({ processCurve = [] }) => processCurve);

const config = lazyView(async () => (await import("../config/config-view.tsx")).ConfigView);

const CORE: { [Kind in keyof CoreViews]: PageView<Kind>["Body"] } = {
  overview: () => (
    <Overview More={OverviewSections} HostButtons={HostButtons} HostFacts={HostFacts} Links={AttentionLinks} curves={curves} />
  ),
  all: () => <AllView More={GroupButtons} curves={curves} />,
  log: () => <LogView />,
  config: () => <config.Body />,
  process: ({ view, pane }) => (
    <ProcessView name={view.name} pane={pane} More={ProcessButtons} MoreFacts={ProcessFacts} Sections={ProcessSections} />
  ),
  group: ({ view }) => <GroupView name={view.name} More={GroupButtons} curves={curves} />,
};
const BODIES: Readonly<Record<string, PageView["Body"]>> = {
  ...CORE,
  ...Object.fromEntries(featureViews.map(({ kind, Body }) => [kind, Body])),
};

function ProcessButtons({ process }: { process: Process }): ComponentChildren {
  return features.map(({ ProcessButton }, index) => ProcessButton && <ProcessButton key={index} process={process} />);
}

function ProcessFacts({ process }: { process: Process }): ComponentChildren {
  return features.map(({ ProcessFact }, index) => ProcessFact && <ProcessFact key={index} process={process} />);
}

function ProcessSections({ process }: { process: Process }): ComponentChildren {
  return (
    <PortLinks.Provider value={LinksOfPort}>
      {features.map(({ ProcessSection }, index) => ProcessSection && <ProcessSection key={index} process={process} />)}
    </PortLinks.Provider>
  );
}

function LinksOfPort(port: ListeningOn): ComponentChildren {
  return features.map(({ PortLink }, index) => PortLink && <PortLink key={index} {...port} />);
}

function GroupButtons({ name }: { name: string }): ComponentChildren {
  return features.map(({ GroupButton }, index) => GroupButton && <GroupButton key={index} name={name} />);
}

function HostButtons({ name }: { name: string }): ComponentChildren {
  return features.map(({ HostButton }, index) => HostButton && <HostButton key={index} name={name} />);
}

function HostFacts({ name }: { name: string }): ComponentChildren {
  return features.map(({ HostFact }, index) => HostFact && <HostFact key={index} name={name} />);
}

function AttentionLinks({ process }: { process: Process }): ComponentChildren {
  return features.map(({ AttentionLink }, index) => AttentionLink && <AttentionLink key={index} process={process} />);
}

function OverviewSections(): ComponentChildren {
  return features.map(({ OverviewSection }, index) => OverviewSection && <OverviewSection key={index} />);
}

export function ViewBox({ view, pane }: { view: View; pane: Pane }) {
  const Body = BODIES[view.kind];
  if (typeOf(view.kind).needs) {
    // It is not known yet what the user may see.
    if (!isLoaded.value) return null;
    const refusal = viewRefusal(view);
    if (refusal !== null) return <p class="empty nothing">{refusal}</p>;
  }
  return Body && <Body view={view} pane={pane} />;
}

/** Loads the code of all views, so that they open at once, also after a newer manager has started. */
export function preloadViews(): void {
  for (const { preload } of [config, ...featureViews]) preload?.();
}
