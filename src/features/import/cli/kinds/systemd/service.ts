import { Conversion } from "../../model/conversion.ts";
import type { Draft } from "../../model/draft.ts";
import type { Result } from "../../model/result.ts";
import type { Tree } from "../../model/tree.ts";
import type { Paths } from "../../model/values.ts";
import { type UnitName, withSpecifiers } from "./specifiers.ts";

/** A unit file that was read. Keys with several values are lists. */
export interface Unit {
  readonly name: UnitName;
  readonly sections: ReadonlyMap<string, ReadonlyMap<string, Tree>>;
  readonly file: string;
}

interface Environment {
  readonly unit: Unit;
  /** All imported units by their names. */
  readonly units: ReadonlyMap<string, Unit>;
  readonly paths: Paths;
  readonly user: string | null;
}

/** The conversion of one service. `section` has the keys of [Service]. */
export class ServiceConversion extends Conversion {
  readonly environment: Environment;

  constructor(place: { result: Result; draft: Draft; section: ReadonlyMap<string, Tree> }, environment: Environment) {
    super(place.result, place.draft, place.section);
    this.environment = environment;
  }

  /** A text with its specifiers replaced. */
  specified(text: string): string {
    return withSpecifiers(text, this.environment.unit.name, this.environment.user);
  }
}
