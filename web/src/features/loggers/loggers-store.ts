import { batch, signal } from "@preact/signals";
import type { DaemonLogger } from "../../../../src/features/loggers/wire.ts";
import type { ManagerFrame } from "../../../../src/protocol/frames/frames.ts";
import { inOrder, withItem } from "../../state/items.ts";
import { drawnWithNextFrame } from "../../state/painting.ts";
import { frames$ } from "../../state/store.ts";

export const loggers = signal<readonly DaemonLogger[]>([]);

/** Follows the manager's frames, at most two a second for each logger. */
frames$.subscribe((frame) => drawnWithNextFrame(() => batch(() => receive(frame))));

function receive(frame: ManagerFrame): void {
  switch (frame.type) {
    case "loggers_snapshot":
      loggers.value = inOrder(frame.loggers);
      return;
    case "logger_upsert":
      loggers.value = withItem(loggers.peek(), frame.logger, ({ name }) => name);
      return;
    case "logger_remove":
      loggers.value = loggers.peek().filter(({ name }) => name !== frame.name);
      return;
  }
}
