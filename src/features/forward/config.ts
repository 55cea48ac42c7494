import { didYouMean } from "../../base/text/suggest.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import type { Names, PartFinding } from "../../config/load/names.ts";
import { hostNameProblem } from "../../config/schema/schema-addresses.ts";
import { defaulted, entriesOf, leaf, listOf, namedMap, settingsOf } from "../../config/schema/schema-kinds.ts";
import { type PortRange, parsePortRange } from "./port-ranges.ts";

const ports = leaf<number | string, PortRange>(
  "a port such as 5432, or a range such as 8000-8010",
  {
    anyOf: [
      { type: "integer", minimum: 1, maximum: 65_535 },
      { type: "string", pattern: "^\\d{1,5}(-\\d{1,5})?$" },
    ],
  },
  (value) => parsePortRange(value) ?? undefined,
);

export const forwardConfig = {
  file: {
    forward: defaulted(
      "Ports of the loopback interface of each host that operators may reach with 'mgr forward', see docs/forward.md. 'localhost' is the manager's own host. Admins reach all ports.",
      namedMap("a mapping from hosts to lists of ports", listOf("ports, such as 5432 or 8000-8010", ports), hostNameProblem),
      {},
    ),
  },
  checkReferences: checkHosts,
} satisfies ConfigFeature;

/** Checks that the hosts exist: a wrong name would allow nothing. */
function checkHosts(names: Names): PartFinding[] {
  const hosts = entriesOf(names.main.get("hosts") ?? null) ?? new Map<string, unknown>();
  const aliases = [...hosts.values()].flatMap((host) => {
    const listed = settingsOf(host ?? null)?.get("aliases");
    return Array.isArray(listed) ? listed.filter((alias) => typeof alias === "string") : [];
  });
  const nodes = [...(entriesOf(names.main.get("nodes") ?? null)?.keys() ?? [])];
  const known = new Set(["localhost", ...hosts.keys(), ...aliases, ...nodes]);
  return [...(entriesOf(names.main.get("forward") ?? null)?.keys() ?? [])]
    .filter((name) => !known.has(name))
    .map((name) =>
      names.finding(
        ["forward", name],
        `there is no host '${name}'${didYouMean(name, known)}; use 'localhost' for the manager's own host, or a name of 'hosts' or 'nodes'`,
        "key",
      ),
    );
}
