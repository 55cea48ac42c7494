import { posix } from "node:path";
import { Conversion, type Rule } from "../../model/conversion.ts";
import type { Draft } from "../../model/draft.ts";
import type { Result } from "../../model/result.ts";
import { asList, asMap, type Tree } from "../../model/tree.ts";
import { type Paths, text, textNow } from "../../model/values.ts";
import type { Variables } from "../../text/variables.ts";

/** Folder in the container → folder of this machine, as the new configuration writes it. */
export type Mounts = ReadonlyMap<string, string>;

interface Environment {
  readonly paths: Paths;
  readonly mounts: Mounts;
  /** Names of all services, which are names of hosts in containers. */
  readonly services: ReadonlySet<string>;
  readonly variables: Variables;
}

/** The conversion of one service. */
export class ServiceConversion extends Conversion {
  readonly environment: Environment;

  constructor(place: { result: Result; draft: Draft; section: ReadonlyMap<string, Tree> }, environment: Environment) {
    super(place.result, place.draft, place.section);
    this.environment = environment;
  }

  /** The folder of this machine that is mounted there; null: none. */
  onThisMachine(path: string): string | null {
    for (let folder = posix.normalize(path), rest = ""; ; ) {
      const mounted = this.environment.mounts.get(folder);
      if (mounted !== undefined) return rest === "" ? mounted : posix.join(mounted, rest);
      if (folder === "/" || folder === ".") return null;
      rest = posix.join(posix.basename(folder), rest);
      folder = posix.dirname(folder);
    }
  }

  /** The first service that a text names as a host, such as "db" in "postgres://db:5432"; null: none. `alone`: the text may be its name. */
  serviceIn(written: string, { alone }: { alone: boolean }): string | null {
    for (const service of this.environment.services) {
      const name = service.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
      if (new RegExp(`(?:^|[/@=,\\s])${name}(?::\\d|/|$)`).test(written) && (written.includes(":") || (alone && written === service)))
        return service;
    }
    return null;
  }

  /** A key without a rule: most are about the container. */
  readonly unknownKey: Rule<ServiceConversion> = (entry) => {
    if (!entry.name.startsWith("x-")) this.dropped(entry, "it is about the container; the process runs on this machine itself");
  };
}

/** The folders of this machine that a service mounts. */
export function mountsOf(keys: ReadonlyMap<string, Tree>, paths: Paths): Mounts {
  const mounts = new Map<string, string>();
  const volumes = keys.get("volumes");
  for (const volume of volumes === undefined ? [] : asList(volumes)) {
    const long = asMap(volume);
    const [source, target] =
      long.size > 0
        ? [long.get("type")?.value === "bind" ? long.get("source") : undefined, long.get("target")].map((tree) =>
            tree === undefined ? "" : text(tree),
          )
        : textNow(volume).split(":");
    // Others are names of volumes.
    if (source !== undefined && target !== undefined && /^[./~]/.test(source))
      mounts.set(posix.normalize(target).replace(/(?!^)\/$/, ""), paths.moved(source));
  }
  return mounts;
}
