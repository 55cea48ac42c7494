import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { linkTo } from "../../state/navigation.ts";
import { useCrashes } from "./crash-store.ts";

/** The report of the failure for which a process needs attention. */
export function CrashLink({ process }: { process: Process }) {
  const [newest] = useCrashes(process.name);
  // An error without a crash, such as a missing dependency, has no report of its own: one from before it would mislead.
  if (newest === undefined || (process.start_time !== null && process.start_time > newest.time)) return null;
  return (
    <a class="crash-link" {...linkTo({ kind: "crash", name: newest.name, run: newest.run_id }, `Crash report of ${newest.name}`)}>
      Crash report
    </a>
  );
}
