import type { Owners } from "../../../src/base/access/access.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { modesExtension } from "../../../src/features/modes/manager/index.ts";
import type { Modes } from "../../../src/features/modes/manager/modes.ts";
import type { Mode } from "../../../src/features/modes/wire.ts";

/** Modes that a test sets. */
export class FakeModes implements Modes {
  readonly extension = modesExtension(this);
  /** The processes that a switch to the mode of this name is about. */
  readonly owners = new Map<string, readonly string[]>();
  modes: Mode[] = [];

  list(): Mode[] {
    return this.modes;
  }

  plan(name: string) {
    this.#known(name);
    return { type: "mode_plan" as const, name, stops: [], starts: [], confirm: [], parameters: [] };
  }

  ownersOf(name: string): Owners {
    return this.owners.get(name) ?? null;
  }

  switchTo(name: string): void {
    this.#known(name);
  }

  #known(name: string): void {
    if (!this.modes.some((mode) => mode.name === name)) throw new MgrError("not_found", `there is no mode '${name}'`);
  }
}
