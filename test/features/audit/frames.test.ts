import { expect, it } from "vitest";
import { MgrError } from "../../../src/base/errors.ts";
import { auditHandlers } from "../../../src/features/audit/manager/handlers.ts";
import type { HandlerContext } from "../../../src/transport/handlers/handler.ts";
import { startRig } from "../../transport/rig.ts";
import { ENTRY, FakeAudit } from "./fake-audit.ts";

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

it.each([
  ["an operator", [{ role: "operator", on: null }]],
  ["an admin of some processes", [{ role: "admin", on: ["sim/*"] }]],
  ["a user without a role", []],
] as const)("%s may not read the audit", async (_who, grants) => {
  const context = { principal: { user: "eve", via: "basic", address: "", grants } } as unknown as HandlerContext;
  const { answer } = auditHandlers(new FakeAudit()).request_audit as {
    answer: (frame: object, context: HandlerContext) => Promise<unknown>;
  };
  const refused = await answer({ type: "request_audit" }, context).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(MgrError);
  expect(refused).toMatchObject({ code: "forbidden" });
});
