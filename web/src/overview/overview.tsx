import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { useLoads } from "../state/loads.ts";
import { allProcesses, connection, isLoaded } from "../state/store.ts";
import { usePointerOver } from "../ui/pointer-over.ts";
import { Attention } from "./attention.tsx";
import { HostsPanel } from "./hosts-panel.tsx";
import { RecentChanges } from "./recent-changes.tsx";
import { StateCounts } from "./state-counts.tsx";
import { VerdictLine } from "./verdict.tsx";

interface Props {
  /** Sections of features. */
  readonly More: ComponentType;
  /** Links of features in the rows of processes that need attention. */
  readonly Links: ComponentType<{ process: Process }>;
}

/** The start page, which shows whether everything is all right. */
export function Overview(props: Props) {
  if (!isLoaded.value)
    return <p class="empty nothing">{connection.value.kind === "lost" ? "The manager cannot be reached." : "Connecting …"}</p>;
  return <LoadedOverview {...props} />;
}

function LoadedOverview({ More, Links }: Props) {
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
        <HostsPanel processes={processes} />
        <div class="overview-main">
          <Attention processes={processes} isHeld={isOver || hasKeyboard} Links={Links} />
          <More />
          <RecentChanges />
        </div>
      </div>
    </section>
  );
}
