import type { ProcessState } from "../protocol/resources/resources.ts";

/** A change of state, or a line of output. `at`: milliseconds since the recorder began, by the client's clock. */
export type RecordedEvent =
  | {
      readonly kind: "state";
      readonly at: number;
      readonly name: string;
      /** Null: seen for the first time. */
      readonly from: ProcessState | null;
      readonly to: ProcessState;
      /** Why, in words, where something is to be said: how it ended, what it waits for. */
      readonly why: string;
    }
  | { readonly kind: "output"; readonly at: number; readonly name: string; readonly line: string };
