import type { Live } from "../../e2e/support/live-frames.ts";

/** Needs the parameter `gain` with an override (data plane). */
export async function presetsLive({ ask }: Live): Promise<void> {
  await ask({ type: "save_preset", name: "careful", pattern: "gain", description: "Slow", all: true, replace: true });
  await ask({ type: "save_preset", name: "other", parameters: ["gain"] });
  await ask({ type: "request_presets" });
  await ask({ type: "request_preset", name: "careful" });
  await ask({ type: "compare_preset", name: "careful", with: "other" });
  await ask({ type: "load_preset", name: "careful", partial: true });
  await ask({ type: "delete_preset", name: "other" });
}
