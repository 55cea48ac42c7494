import { expect, it } from "vitest";
import { startRig } from "../../transport/rig.ts";
import { ENTRY } from "./fake-audit.ts";

it("an admin reads the audit, on a connection that has everything in view", async () => {
  const rig = await startRig(["sim/world"]);
  try {
    const [full, focused] = [await rig.connect(), await rig.connect("?single_process=sim/world")];
    expect(await full.ask({ type: "request_audit", request_id: 1 })).toMatchObject({ type: "audit_page", ok: true, entries: [ENTRY] });
    expect(await focused.ask({ type: "request_audit", request_id: 1 })).toMatchObject({ type: "error", code: "out_of_scope" });
  } finally {
    await rig[Symbol.asyncDispose]();
  }
});
