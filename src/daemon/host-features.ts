import { messageOf } from "../base/errors.ts";
import type { HandedOver } from "../base/handed-over.ts";
import { ThrottledWarning } from "../base/throttled-warning.ts";
import type { RunId } from "../contract/fields.ts";
import type { HostEvent, HostRequestName } from "../contract/messages.ts";
import type { RunCheck, RunSpec } from "../contract/run.ts";
import { HOST_FEATURES } from "../features/host.ts";
import type { SurvivingPart } from "./handover/surviving-part.ts";
import type { ChangedRun, FeatureHeartbeat, HostContext, HostFeature, HostHandlers, HostPart } from "./host-feature.ts";
import type { HostedRun } from "./run/extinct-run.ts";
import type { FeatureProbes } from "./run/probe.ts";

type AnyPart = HostPart<never, unknown>;
type NamesOf<F> = F extends HostFeature<infer Names extends HostRequestName, unknown> ? Names : never;
type FeatureHandlers = Pick<HostHandlers, NamesOf<(typeof HOST_FEATURES)[number]>>;

/** The features of one host. One that throws when it is notified harms neither the host nor the others. */
export class HostFeatures {
  readonly #parts: readonly AnyPart[];
  readonly #begun: ReadonlyMap<HostFeature<never, unknown>, AnyPart>;
  /** The parts that receive what is frequent, or what happens with each start. */
  readonly #outputs: readonly AnyPart[];
  readonly #changes: readonly AnyPart[];
  readonly #watching: readonly AnyPart[];
  readonly #defects: ThrottledWarning;
  /** Resolves when programs of the host may connect to its broker. */
  readonly ready: Promise<unknown>;

  /** `taken`: what the program before this one handed over, by name. */
  constructor(
    host: Omit<HostContext, "use" | "taken">,
    features: readonly HostFeature<never, unknown>[] = HOST_FEATURES,
    taken: Readonly<Record<string, HandedOver>> = {},
  ) {
    const begun = new Map<HostFeature<never, unknown>, AnyPart>();
    const use = <S>(feature: HostFeature<never, S>): S => {
      const part = begun.get(feature);
      if (part === undefined) throw new Error("a feature uses another one that is not before it in the list");
      // This feature created the part, so its service has this type.
      return part.service as S;
    };
    for (const feature of features) {
      const own = feature.name === undefined ? undefined : taken[sectionOf(feature.name)];
      begun.set(feature, feature.begin({ ...host, use, ...(own === undefined ? {} : { taken: own }) }));
    }
    this.#begun = begun;
    this.#parts = [...begun.values()];
    this.#outputs = this.#parts.filter(({ output }) => output !== undefined);
    this.#changes = this.#parts.filter(({ runChanged }) => runChanged !== undefined);
    this.#watching = this.#parts.filter(({ watch }) => watch !== undefined);
    this.#defects = new ThrottledWarning(host.log);
    this.ready = Promise.all(this.#parts.map(({ ready }) => ready));
  }

  /** The features that survive a replacement of the program. Those that others use come last, so that these are quiet before. */
  get survivingParts(): Readonly<Record<string, SurvivingPart>> {
    const parts: Record<string, SurvivingPart> = {};
    for (const [{ name }, part] of [...this.#begun].toReversed()) if (name !== undefined && survives(part)) parts[sectionOf(name)] = part;
    return parts;
  }

  /** Notifies the features of the runs that the program before this one had started. */
  take(runs: readonly HostedRun[]): void {
    for (const run of runs) this.runChanged("changed", run);
  }

  get handlers(): FeatureHandlers {
    // Each feature has the handlers of its names, so that together they have all.
    return merged(this.#parts.map(({ handlers }) => handlers)) as FeatureHandlers;
  }

  get heartbeat(): FeatureHeartbeat {
    return merged(this.#parts.map(({ heartbeat }) => heartbeat?.() ?? {}));
  }

  get probes(): FeatureProbes {
    const kinds = this.#parts.flatMap(({ probe }) => probe ?? []);
    const of = ({ kind }: { readonly kind: string }) => {
      const found = kinds.find((known) => known.kind === kind);
      if (found === undefined) throw new Error(`no feature makes probes of the kind '${kind}'`);
      return found;
    };
    return {
      begin: (probe) => of(probe).begin(probe),
      describe: (probe) => of(probe).describe(probe),
      watch: (spec, report) => this.#watch(spec, report),
    };
  }

  #watch(spec: RunSpec, report: (checks: readonly RunCheck[]) => void): () => void {
    const found = new Map<AnyPart, readonly RunCheck[]>();
    const ends = this.#watching.map((part) =>
      part.watch?.(spec, (checks) => {
        found.set(part, checks);
        report([...found.values()].flat());
      }),
    );
    return () => {
      for (const end of ends) end?.();
    };
  }

  async environment(spec: RunSpec, runId?: RunId): Promise<Record<string, string>> {
    const environment: Record<string, string> = {};
    // A start waits for those features only that add variables.
    for (const part of this.#parts) if (part.environment !== undefined) Object.assign(environment, await part.environment(spec, runId));
    return environment;
  }

  startFailed(runId: RunId, spec: RunSpec, reason: string): void {
    this.#tell(this.#parts, (part) => part.startFailed?.(runId, spec, reason));
  }

  runEnded(runId: RunId): void {
    this.#tell(this.#parts, (part) => part.runEnded?.(runId));
  }

  /** All features get the same report: a run makes a new one for each that asks. */
  runChanged(kind: HostEvent["kind"], { report, usage, spec, dumpedCore }: HostedRun): void {
    const run: ChangedRun = { report, usage, spec, dumpedCore };
    this.#tell(this.#changes, (part) => part.runChanged?.(kind, run));
  }

  output(name: string, bytes: Uint8Array): void {
    this.#tell(this.#outputs, (part) => part.output?.(name, bytes));
  }

  managerLost(): void {
    this.#tell(this.#parts, (part) => part.managerLost?.());
  }

  managerGreeted(pid: number): void {
    this.#tell(this.#parts, (part) => part.managerGreeted?.(pid));
  }

  linkLost(): void {
    this.#tell(this.#parts, (part) => part.linkLost?.());
  }

  ending(): void {
    this.#tell(this.#parts, (part) => part.ending?.());
  }

  #tell(parts: readonly AnyPart[], tell: (part: AnyPart) => void): void {
    for (const part of parts) {
      try {
        tell(part);
      } catch (error) {
        this.#defects.warn(`a feature failed when it was told of a change: ${messageOf(error)}`);
      }
    }
  }

  /** Closes each feature before those that it uses. */
  async close(): Promise<void> {
    for (const part of this.#parts.toReversed()) await part.close?.();
  }
}

const survives = (part: AnyPart): part is AnyPart & SurvivingPart => part.handOver !== undefined;
const sectionOf = (feature: string): string => `feature ${feature}`;

function merged<T extends object>(parts: readonly T[]): Partial<T> {
  const all = {};
  for (const part of parts) Object.assign(all, part);
  return all;
}
