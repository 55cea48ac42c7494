import { useState } from "preact/hooks";
import { useLoads } from "../state/loads.ts";
import { allProcesses, connection, isLoaded } from "../state/store.ts";
import { usePointerOver } from "../ui/pointer-over.ts";
import { Attention } from "./attention.tsx";
import { HostsPanel } from "./hosts-panel.tsx";
import { RecentChanges } from "./recent-changes.tsx";
import { StateCounts } from "./state-counts.tsx";
import { VerdictLine } from "./verdict.tsx";

/** The start page, which shows whether everything is all right. */
export function Overview() {
  if (!isLoaded.value)
    return <p class="empty nothing">{connection.value.kind === "lost" ? "The manager cannot be reached." : "Connecting …"}</p>;
  return <LoadedOverview />;
}

function LoadedOverview() {
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
          <Attention processes={processes} isHeld={isOver || hasKeyboard} />
          <RecentChanges />
        </div>
      </div>
    </section>
  );
}
