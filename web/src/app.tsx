import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { LogView } from "./log-view.tsx";
import { Overview } from "./overview.tsx";
import { ProcessView } from "./process-view.tsx";
import { connection, instance, select, selected, selectedProcess, toasts } from "./store.ts";
import { Tree } from "./tree.tsx";

const logOpen = signal(true);

export function App() {
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const shown = selectedProcess.value;
  return (
    <div class={`shell ${selected.value === "" ? "at-overview" : "at-process"} ${logOpen.value ? "log-open" : ""}`}>
      <header class="top">
        <button type="button" class="brand" onClick={() => select("")} aria-label="Overview">
          <img src="/icon.svg" alt="" width="20" height="20" />
          <b>{instance.value.name || "mgr"}</b>
          <span class="host">{instance.value.host}</span>
        </button>
        <span class="grow" />
        <ConnectionMark />
        <button
          type="button"
          aria-pressed={logOpen.value}
          onClick={() => {
            logOpen.value = !logOpen.value;
          }}
        >
          Log
        </button>
      </header>
      <Tree />
      <main>
        {shown ? (
          <ProcessView process={shown.value} />
        ) : selected.value === "" ? (
          <Overview />
        ) : (
          <p class="empty">There is no process “{selected.value}”.</p>
        )}
      </main>
      {logOpen.value && <LogView />}
      <div class="toasts" role="status" aria-live="polite">
        {toasts.value.map((toast) => (
          <p key={toast.id} class={toast.bad ? "bad" : ""}>
            {toast.text}
          </p>
        ))}
      </div>
    </div>
  );
}

function ConnectionMark() {
  const now = connection.value;
  if (now.kind === "open") return <span class="link ok">connected</span>;
  if (now.kind !== "lost") return <span class="link">connecting …</span>;
  return (
    <span class="link bad" title={now.reason} role="alert">
      connection lost, trying again
    </span>
  );
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.closest(".terminal-box, input, select, textarea")) return;
  if (event.key === "/") {
    document.getElementById("filter")?.focus();
    event.preventDefault();
  }
}
