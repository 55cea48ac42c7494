import type { Live } from "../../e2e/support/live-frames.ts";

/** Needs the modes `safe` and `other`, which start the process (test/e2e/streams). */
export async function modesLive({ ask, client }: Live): Promise<void> {
  await ask({ type: "plan_mode", name: "safe" });
  for (const name of ["safe", "other"]) {
    const from = client.here;
    await ask({ type: "switch_mode", name });
    await client.until("the end of the switch", ({ type, modes }) => type === "modes_update" && isOver(modes, name), from);
  }
}

function isOver(modes: unknown, name: string): boolean {
  const all = modes as readonly { readonly name: string; readonly active: { readonly step: string | null } | null }[];
  return all.some((mode) => mode.name === name && mode.active !== null && mode.active.step === null);
}
