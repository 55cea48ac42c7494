import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { command } from "../../state/store.ts";
import { addHistory, dataTab } from "../data-plane/public.ts";
import { tabType } from "../data-plane/views.ts";
import { loggers } from "./loggers-store.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    loggers: unknown;
  }
}

addHistory(async (traces, wanted) => (await import("./past-samples.ts")).readPastOfLoggers(traces, wanted));

export const loggersFeature: PageFeature = {
  views: [
    dataTab(tabType("loggers", "Loggers"), async () => ({ Content: (await import("./loggers-view.tsx")).LoggersView, items: loggers })),
  ],
  actions: () => [
    { title: "Loggers", near: true, run: () => show({ kind: "loggers" }) },
    ...loggers.value.map(({ name, enabled }) => ({
      title: `${enabled ? "Stop" : "Start"} the logger ${name}`,
      run: () => void command({ type: enabled ? "stop_logger" : "start_logger", name }),
    })),
  ],
};
