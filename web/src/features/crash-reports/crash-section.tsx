import { endText } from "../../../../src/features/crash-reports/client/report-text.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { linkTo } from "../../state/navigation.ts";
import { Section } from "../../ui/detail-section.tsx";
import { clockTime } from "../../ui/time.ts";
import { useCrashes } from "./crash-store.ts";

/** The crashes of a process, each with a link to its report. */
export function CrashSection({ process: { name } }: { process: Process }) {
  const crashes = useCrashes(name);
  if (crashes.length === 0) return null;
  return (
    <Section title="Crashes">
      <ul class="crashes">
        {crashes.map((crash) => (
          <li key={crash.run_id}>
            <a {...linkTo({ kind: "crash", name, run: crash.run_id }, `Crash report of ${clockTime(crash.time)}`)}>
              {clockTime(crash.time)}
            </a>
            <span>{endText(crash)}</span>
            {crash.skipped > 0 && <span class="soft">{crash.skipped} more before it</span>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
