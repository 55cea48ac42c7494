import { now } from "../ui/time.ts";
import { connection, isLoaded } from "./store.ts";

/** While the manager cannot be reached: says so across the page, which shows what was known last. It lies above the page: nothing moves. */
export function ConnectionBanner() {
  const state = connection.value;
  if (state.kind !== "lost") return null;
  const seconds = Math.ceil((state.retryAt - now.value) / 1_000);
  return (
    <p class="connection-banner" role="alert" title={state.reason}>
      <b>Disconnected.</b>
      {isLoaded.value && <span class="detail">This was the state before; nothing can be started or stopped.</span>}
      {/* Not read out each second. */}
      <span aria-hidden="true">Trying again{seconds > 0 ? ` in ${seconds} s` : " …"}</span>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </p>
  );
}
