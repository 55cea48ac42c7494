import { IconButton } from "./icons.tsx";
import { sheetOpen } from "./keyboard-sheet.tsx";
import { poppedOut, show } from "./navigation.ts";
import { shade, theme } from "./settings.ts";
import { StateMark } from "./state-mark.tsx";
import { connection, counts, hosts, instance } from "./store.ts";
import { now } from "./time.ts";
import { filterTree } from "./tree.tsx";

/** One line below everything: which instance, is it connected, are its hosts there, has something failed. */
export function StatusBar() {
  const failed = counts.value.get("error") ?? 0;
  const away = hosts.value.filter((host) => !host.daemon_ready);
  return (
    <footer class="status">
      <ConnectionMark />
      <span class="soft status-wide">
        {instance.value.name}@{instance.value.host}
      </span>
      {hosts.value.length > 0 && (
        <span class={`status-wide ${away.length > 0 ? "warn" : "soft"}`} title={hosts.value.map((host) => host.name).join(", ")}>
          {away.length > 0
            ? `${away.map((host) => host.name).join(", ")} away`
            : hosts.value.length === 1
              ? "host ready"
              : `${hosts.value.length} hosts ready`}
        </span>
      )}
      <span class="grow" />
      {failed > 0 && !poppedOut && (
        <button
          type="button"
          class="flat bad"
          onClick={() => {
            filterTree("is:error");
            show({ kind: "overview" });
          }}
        >
          <StateMark state="error" /> {failed} failed
        </button>
      )}
      {!poppedOut && (
        <>
          <IconButton
            icon="keyboard"
            label="Keyboard shortcuts  ?"
            class="status-wide"
            onClick={() => {
              sheetOpen.value = true;
            }}
          />
          <IconButton
            icon={theme.value === "system" ? "system" : shade.value === "dark" ? "moon" : "sun"}
            label={`Theme: ${theme.value}`}
            onClick={() => {
              theme.value = theme.value === "system" ? "dark" : theme.value === "dark" ? "light" : "system";
            }}
          />
        </>
      )}
    </footer>
  );
}

function ConnectionMark() {
  const state = connection.value;
  if (state.kind === "open") return <span class="link ok">connected</span>;
  if (state.kind !== "lost") return <span class="link">connecting …</span>;
  const seconds = Math.ceil((state.retryAt - now.value) / 1_000);
  return (
    <span class="link bad" title={state.reason} role="alert">
      connection lost, trying again{seconds > 0 ? ` in ${seconds} s` : " …"}
    </span>
  );
}
