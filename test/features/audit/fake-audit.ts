import type { Audit, AuditPage } from "../../../src/features/audit/manager/audit.ts";
import { auditExtension } from "../../../src/features/audit/manager/index.ts";
import type { AuditEntry } from "../../../src/features/audit/wire.ts";

export const ENTRY: AuditEntry = {
  id: 7,
  time: "2026-11-21T08:14:02.000",
  user: "ada",
  role: "admin",
  via: "cookie",
  client: "browser",
  address: "10.0.0.9:4711",
  command: "stop_process",
  target: "sim/world",
  args: {},
  outcome: "accepted",
  code: null,
  message: null,
};

/** Entries that a test sets. */
export class FakeAudit implements Audit {
  readonly extension = auditExtension(this);
  entries: AuditEntry[] = [ENTRY];

  async page(): Promise<AuditPage> {
    return { entries: this.entries, before: null, problem: null, unrecorded: 0 };
  }
}
