import type { Notification } from "../../../src/features/notifications/notification.ts";

/** A notification with what a hostile program could have written. */
export const EXAMPLE: Notification = {
  key: "0d9c1f4e-8f0b-4a52-9a52-8d1f3a1f0c11",
  rule: "team",
  time: "2026-11-26T08:14:02.123",
  title: "[bench] 2 problems, 1 over",
  items: [
    {
      kind: "crash_loop",
      process: "sim/camera",
      host: "robot",
      text: "process sim/camera failed: <!channel> *bold* [link](http://evil) @all",
      status: "raised",
      since: "2026-11-26T08:13:50.000",
      until: null,
      times: 3,
    },
    {
      kind: "host_lost",
      process: null,
      host: "robot-2",
      text: "host robot-2 does not answer",
      status: "lasting",
      since: "2026-11-26T07:00:00.000",
      until: null,
      times: 0,
    },
    {
      kind: "failed",
      process: "arm",
      host: "robot",
      text: "process arm failed: exited with code 3",
      status: "recovered",
      since: "2026-11-26T08:00:00.000",
      until: "2026-11-26T08:14:00.000",
      times: 0,
    },
  ],
  more: 4,
};
