import { connection, connectNow, isLoaded } from "../state/store.ts";
import { now } from "../ui/time.ts";

/**
 * A banner while the manager cannot be reached: above the search at the top, on a phone above the whole top, in a pop-out window above the
 * status. It overlays them, so that nothing moves and no terminal is resized.
 */
export function ConnectionBanner() {
  const state = connection.value;
  if (state.kind !== "lost") return null;
  const seconds = Math.ceil((state.retryAt - now.value) / 1_000);
  return (
    <div class="connection-banner" role="alert" title={`${state.reason}. Nothing can be started or stopped.`}>
      <p>
        <b>Disconnected.</b>{" "}
        {isLoaded.value && <span>{state.isShutDown ? "The manager was shut down." : "Your processes keep running."}</span>}{" "}
        {/* Screen readers must not announce this each second. */}
        <span class="retry" aria-hidden="true">
          Trying again{seconds > 0 ? ` in ${seconds} s.` : " …"}
        </span>
      </p>
      <button type="button" onClick={connectNow}>
        Try now
      </button>
    </div>
  );
}
