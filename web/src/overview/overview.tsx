import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import type { ProcessCurve } from "../actions/page-feature.ts";
import { useLoads } from "../state/loads.ts";
import { allProcesses, connection, isLoaded } from "../state/store.ts";
import { usePointerOver } from "../ui/browser/pointer-over.ts";
import { Attention } from "./attention.tsx";
import { HostsPanel } from "./hosts-panel.tsx";
import { RecentChanges } from "./recent-changes.tsx";
import { StateCounts } from "./state-counts.tsx";
import { VerdictLine } from "./verdict.tsx";

/** Additions of features. */
interface Additions {
  /** Sections. */
  readonly More: ComponentType;
  readonly HostButtons: ComponentType<{ name: string }>;
  readonly HostFacts: ComponentType<{ name: string }>;
  /** Links in the rows of processes that need attention. */
  readonly Links: ComponentType<{ process: Process }>;
  readonly curves: readonly ProcessCurve[];
}

/** The start page, which shows whether everything is all right. */
export function Overview(additions: Additions) {
  if (!isLoaded.value)
    return <p class="empty nothing">{connection.value.kind === "lost" ? "The manager cannot be reached." : "Connecting …"}</p>;
  return <LoadedOverview {...additions} />;
}

function LoadedOverview({ More, HostButtons, HostFacts, ...rowAdditions }: Additions) {
  useLoads();
  const { isOver, hold } = usePointerOver();
  const [hasKeyboard, setKeyboard] = useState(false);
  const processes = allProcesses();
  return (
    <section
      class="overview"
      aria-label="Overview"
      {...hold}
      onFocusCapture={({ target }) => setKeyboard(target instanceof Element && target.matches(":focus-visible"))}
      onBlurCapture={() => setKeyboard(false)}
    >
      <VerdictLine processes={processes} />
      <StateCounts />
      <div class="overview-columns">
        <HostsPanel processes={processes} More={HostButtons} Facts={HostFacts} />
        <div class="overview-main">
          <Attention processes={processes} isHeld={isOver || hasKeyboard} {...rowAdditions} />
          <More />
          <RecentChanges />
        </div>
      </div>
    </section>
  );
}
