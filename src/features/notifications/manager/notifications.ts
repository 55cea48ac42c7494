import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import type { Silence } from "../notification.ts";

export type Overview = Omit<AnswerOf<"request_notifications">, "type" | "request_id">;
export interface TestResult {
  readonly sent: boolean;
  readonly result: string;
}

/** Rules, what they match now, what was sent, and silences. */
export interface Notifications {
  overview(): Overview;
  /** Throws `busy`. */
  silence(request: { pattern: string; seconds: number; reason: string; by: string }): Promise<Silence>;
  /** Rejects with `not_found`. */
  endSilence(id: string, by: string): Promise<void>;
  /** Sends a test at once, without a second attempt. Rejects with `not_found` and `busy`. */
  test(way: string, by: string): Promise<TestResult>;
}
