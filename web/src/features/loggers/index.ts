import type { PageFeature } from "../../actions/page-feature.ts";
import { show } from "../../state/navigation.ts";
import { command } from "../../state/store.ts";
import { addDataTab, addHistory, dataView } from "../data-plane/public.ts";
import { tabType } from "../data-plane/views.ts";
import { loggers } from "./loggers-store.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    loggers: unknown;
  }
}

const LOGGERS = tabType("loggers", "Loggers");

export const loggersFeature: PageFeature = {
  views: [{ ...LOGGERS, ...dataView }],
  actions: () => [
    { title: "Loggers", near: true, run: () => show({ kind: "loggers" }) },
    ...loggers.value.map(({ name, enabled }) => ({
      title: `${enabled ? "Stop" : "Start"} the logger ${name}`,
      run: () => void command({ type: enabled ? "stop_logger" : "start_logger", name }),
    })),
  ],
  start: () => {
    addDataTab(LOGGERS, async () => ({ Content: (await import("./loggers-view.tsx")).LoggersView, items: loggers }), "viewer");
    addHistory(async (traces, wanted) => (await import("./past-samples.ts")).readPastOfLoggers(traces, wanted));
  },
};
