import { didYouMean } from "../../base/text/suggest.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { entriesOf, orNull } from "../../config/schema/schema-kinds.ts";
import { text } from "../../config/schema/schema-values.ts";

export const dataPlaneConfig = {
  instance: {
    scope_process: orNull(
      "Process that provides the service 'mgr.scope.v1' (docs/clients.md): it shows the traces of open_parameter_scope, and is started for them.",
      text("the name of a process"),
    ),
  },
  checkReferences(names) {
    const name = entriesOf(names.main.get("instance") ?? null)?.get("scope_process");
    if (typeof name !== "string" || names.processes.has(name)) return [];
    return [names.finding(["instance", "scope_process"], `there is no process '${name}'${didYouMean(name, names.processes.keys())}`)];
  },
} satisfies ConfigFeature;
