import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyView } from "../../ui/lazy-view.tsx";
import { AUDIT } from "./views.ts";

export const auditFeature: PageFeature = {
  views: [{ ...AUDIT, ...lazyView(async () => (await import("./audit-view.tsx")).AuditView) }],
  places: [{ view: { kind: "audit" }, word: "Audit", isInList: true }],
};
