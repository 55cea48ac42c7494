import type { ProcessState } from "../protocol/resources/resources.ts";

/** A change of state, or a line of output. `at`: milliseconds since the recorder began, by the client's clock. */
export type RecordedEvent =
  | {
      readonly kind: "state";
      readonly at: number;
      readonly name: string;
      /** The previous state; null: the process was seen for the first time. */
      readonly from: ProcessState | null;
      readonly to: ProcessState;
      /** The reason in words, such as how the process ended or what it waits for; "" if there is none. */
      readonly why: string;
    }
  | { readonly kind: "output"; readonly at: number; readonly name: string; readonly line: string };
