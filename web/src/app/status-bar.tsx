import { logOut, user } from "../state/login.ts";
import { poppedOut, show } from "../state/navigation.ts";
import { shade, theme } from "../state/settings.ts";
import { connection, counts, hosts, instance } from "../state/store.ts";
import { filterTree } from "../tree/tree-filter.ts";
import { IconButton } from "../ui/marks/icons.tsx";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { now } from "../ui/time.ts";
import { sheetOpen } from "./keyboard-sheet.tsx";
import { settingsOpen } from "./settings-dialog.tsx";

/** The line at the bottom: the instance, its connection, its hosts, and processes that have failed. */
export function StatusBar() {
  const failed = counts.value.get("error") ?? 0;
  const restarting = counts.value.get("backoff") ?? 0;
  const showLog = (filter: string) => () => {
    filterTree(filter);
    show({ kind: "overview" });
  };
  return (
    <footer class="status">
      <ConnectionMark />
      <span class="soft status-wide">
        {instance.value.name}@{instance.value.host}
      </span>
      <HostsMark />
      <SaveMark />
      <span class="grow" />
      {/* Hidden buttons keep their place, so that the others do not move away from the pointer. */}
      {!poppedOut && (
        <button type="button" class={`flat bad ${failed === 0 ? "none" : ""}`} onClick={showLog("is:error")}>
          <StateMark state="error" /> {failed} failed
        </button>
      )}
      {!poppedOut && (
        <button type="button" class={`flat warn ${restarting === 0 ? "none" : ""}`} onClick={showLog("is:restarting")}>
          <StateMark state="backoff" /> {restarting} restarting
        </button>
      )}
      {user !== "" && !poppedOut && (
        <span class="status-wide user">
          <span class="soft" title="Logged in as">
            {user}
          </span>
          <button type="button" class="flat" onClick={() => void logOut()}>
            Log out
          </button>
        </span>
      )}
      {!poppedOut && (
        <IconButton
          icon="keyboard"
          label="Keyboard shortcuts  ?"
          class="status-wide"
          onClick={() => {
            sheetOpen.value = true;
          }}
        />
      )}
      <IconButton
        icon="settings"
        label="Settings  ,"
        onClick={() => {
          settingsOpen.value = true;
        }}
      />
      {!poppedOut && (
        <IconButton
          icon={theme.value === "system" ? "system" : shade.value === "dark" ? "moon" : "sun"}
          label={`Theme: ${theme.value}`}
          onClick={() => {
            theme.value = theme.value === "system" ? "dark" : theme.value === "dark" ? "light" : "system";
          }}
        />
      )}
    </footer>
  );
}

/** A summary of the hosts; only lost hosts are named. */
function HostsMark() {
  const all = hosts.value;
  const lost = all.filter((host) => !host.daemon_ready).map(({ name }) => name);
  if (all.length === 0) return null;
  const ready = all.length === 1 ? "host ready" : `${all.length} hosts ready`;
  const named = lost.length > 2 ? `${lost.length} of ${all.length} hosts lost` : `${lost.join(", ")} lost`;
  return (
    <span class={lost.length > 0 ? "bad" : "soft status-wide"} title={lost.length > 0 ? `lost: ${lost.join(", ")}` : undefined}>
      {lost.length > 0 ? named : ready}
    </span>
  );
}

/** A warning that users' requests cannot be saved: they would be lost if the manager crashed. */
function SaveMark() {
  const problem = instance.value.save_problem;
  if (problem === null) return null;
  return (
    <span class="bad" title={problem} role="alert">
      requests cannot be saved
    </span>
  );
}

function ConnectionMark() {
  const state = connection.value;
  if (state.kind === "open") return <span class="link ok">connected</span>;
  if (state.kind !== "lost") return <span class="link">connecting …</span>;
  const seconds = Math.ceil((state.retryAt - now.value) / 1_000);
  return (
    <span class="link bad" title={state.reason}>
      connection lost, trying again{seconds > 0 ? ` in ${seconds} s` : " …"}
    </span>
  );
}
