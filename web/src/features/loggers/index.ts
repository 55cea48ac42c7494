import { opening } from "../../actions/opening.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { command } from "../../state/store.ts";
import { addDataTab, addHistory, dataView } from "../data-plane/public.ts";
import { tabType } from "../data-plane/views.ts";
import { loggers } from "./loggers-store.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    loggers: unknown;
  }
}

const LOGGERS = tabType("loggers", "Loggers", "request_loggers");

export const loggersFeature: PageFeature = {
  views: [{ ...LOGGERS, ...dataView }],
  actions: () => [
    opening("Loggers", { kind: "loggers" }, { near: true }),
    ...loggers.value.map(({ name, enabled }) => {
      const frame = { type: enabled ? "stop_logger" : "start_logger", name } as const;
      return { title: `${enabled ? "Stop" : "Start"} the logger ${name}`, sends: frame, run: () => void command(frame) };
    }),
  ],
  start: () => {
    addDataTab(LOGGERS, async () => ({ Content: (await import("./loggers-view.tsx")).LoggersView, items: loggers }));
    addHistory(async (traces, wanted) => (await import("./past-samples.ts")).readPastOfLoggers(traces, wanted));
  },
};
