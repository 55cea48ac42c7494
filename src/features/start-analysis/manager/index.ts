import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import type { HiddenNames } from "../../../transport/hidden-names.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import type { StartAnalysis } from "../wire.ts";
import { type AnalyzeStart, analyzeStart } from "./start-analysis.ts";
import { StartRecorder } from "./start-recorder.ts";

/** Records how processes are started, for the analysis of the last start. */
export const startAnalysis: ManagerFeature<null> = {
  name: "start-analysis",
  attach: ({ clock, events, processes }) => {
    const recorder = new StartRecorder();
    events.subscribe((event) => {
      if (event.type === "process_upsert") recorder.observe(event.process, clock.monotonic());
      else if (event.type === "process_remove") recorder.forget(event.name);
    });
    return { service: null, ...startAnalysisExtension(analyzeStart({ clock, processes }, recorder)) };
  },
};

export function startAnalysisExtension(analyze: AnalyzeStart): FeatureExtension {
  return {
    transport: {
      handlers: {
        request_start_analysis: {
          kind: "request",
          answer: ({ name = null }, { view, hiddenNames }) => {
            const analysis = analyze(name, view);
            return [{ type: "start_analysis", ...(hiddenNames === null ? analysis : shownTo(hiddenNames, view, analysis)) }];
          },
        },
      },
    },
  };
}

function shownTo(hidden: HiddenNames, view: ViewMode, { chain, processes, ...analysis }: StartAnalysis): StartAnalysis {
  return {
    ...analysis,
    chain: chain.filter(({ name }) => contains(view, name)),
    processes: processes.map((start) => ({
      ...start,
      failure: hidden.reason(start.failure),
      after: start.after !== null && contains(view, start.after) ? start.after : null,
    })),
  };
}
