import type { ViewType } from "../../state/views.ts";
import { tabType } from "../data-plane/views.ts";

declare module "../../state/views.ts" {
  interface ViewFields {
    recordings: unknown;
    /** The plot of a recorded file. */
    recorded: { recording: string; host: string; file: string };
  }
}

export const RECORDINGS = tabType("recordings", "Recordings", "request_recordings");
export const RECORDED: ViewType<"recorded"> = {
  kind: "recorded",
  icon: "data",
  titleOf: ({ recording }) => recording,
  fields: { recording: { parameter: "recording" }, host: { parameter: "host" }, file: { parameter: "file" } },
  under: "topics",
  // The page reads the file, as a download does.
  needs: () => ({ need: "download", on: null }),
};
