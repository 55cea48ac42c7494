import type { ManagerState } from "../../actors/control.ts";
import { ancestorNames } from "../../base/text/names.ts";
import { visible } from "../../base/text/visible-text.ts";
import type { FeatureExtension, NamedObject, NameSources } from "../extension.ts";
import { refusal, refusalResponse } from "../request/refusal.ts";
import { needsInGeneral, type Route } from "../route.ts";

/** Maximum number of names in an answer: more than a shell can list. */
const MAX_NAMES = 1_000;

/** `GET /mgr/names`: names of objects by kind, for completion in shells (docs/design/wire-rules.md, "HTTP routes"). */
export function namesRoute(state: Pick<ManagerState, "processes" | "hosts">, extensions: readonly FeatureExtension[]): Route {
  const sources = new Map(Object.entries(coreNames(state)));
  for (const { http } of extensions) for (const [kind, list] of Object.entries(http?.names ?? {})) sources.set(kind, list);
  return {
    path: "/mgr/names",
    needs: needsInGeneral("viewer"),
    method: "GET",
    async handle(context) {
      const query = new URL(context.req.url).searchParams;
      const prefix = query.get("prefix") ?? "";
      const kinds = new Set(query.getAll("kind"));
      if (kinds.size === 0) return refusalResponse(refusal(400, `kind is missing: it must be one of ${[...sources.keys()].join(", ")}.`));
      const found = new Map<string, NamedObject>();
      for (const kind of kinds) {
        const list = sources.get(kind);
        if (list === undefined)
          return refusalResponse(
            refusal(400, `kind must be one of ${[...sources.keys()].join(", ")}, not ${JSON.stringify(visible(kind))}.`),
          );
        for (const each of await list()) if (each.name.startsWith(prefix) && visible(each.name) === each.name) found.set(each.name, each);
      }
      const sorted = [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const lines = sorted.slice(0, MAX_NAMES).map(({ name, about = "" }) => `${name}\t${visible(about)}\n`);
      return new Response(lines.join(""), { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } });
    },
  };
}

function coreNames(state: Pick<ManagerState, "processes" | "hosts">): NameSources {
  return {
    process: () => state.processes().map(({ name, state: about }) => ({ name, about })),
    group: () => {
      const groups = new Set(state.processes().flatMap(({ name }) => ancestorNames(name)));
      return [...groups].map((name) => ({ name, about: "group" }));
    },
    host: () => state.hosts().map(({ name }) => ({ name })),
  };
}
