import { now } from "../ui/time.ts";
import { connection, isLoaded } from "./store.ts";

/**
 * While the manager cannot be reached: says so, in the place of the search at the top, on a phone of the whole top, in a window of its own of the
 * status. So nothing moves, and nothing else is covered.
 */
export function ConnectionBanner() {
  const state = connection.value;
  if (state.kind !== "lost") return null;
  const seconds = Math.ceil((state.retryAt - now.value) / 1_000);
  return (
    <p class="connection-banner" role="alert" title={state.reason}>
      <span>
        <b>Disconnected.</b> {isLoaded.value && "Nothing can be started or stopped. "}
        {/* Not read out each second. */}
        <span aria-hidden="true">Trying again{seconds > 0 ? ` in ${seconds} s` : " …"}</span>
      </span>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </p>
  );
}
