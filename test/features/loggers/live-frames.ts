import type { Live } from "../../e2e/support/live-frames.ts";

export async function loggersLive({ ask, topic }: Live): Promise<void> {
  await ask({ type: "configure_logger", name: "live", only_ts: false, topics: [{ name: topic, log_size: 3, divisor: 1 }] });
  for (const type of ["start_logger", "stop_logger", "delete_logger"]) await ask({ type, name: "live" });
  await ask({ type: "request_loggers" });
}
