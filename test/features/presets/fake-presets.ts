import type { Owners } from "../../../src/base/access/access.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { presetsExtension } from "../../../src/features/presets/manager/index.ts";
import type { Presets } from "../../../src/features/presets/manager/presets.ts";

/** A folder without presets. */
export class FakePresets implements Presets {
  /** By preset: the processes that have its parameters. */
  readonly owners = new Map<string, readonly string[]>();
  readonly extension = presetsExtension(this);

  async list() {
    return { folder: "/presets", presets: [] };
  }

  show(name: string) {
    return this.#missing(name);
  }

  compare(name: string) {
    return this.#missing(name);
  }

  save({ name }: { name: string }) {
    return this.#missing(name);
  }

  load({ name }: { name: string }) {
    return this.#missing(name);
  }

  remove(name: string) {
    return this.#missing(name);
  }

  ownersOf(name: string): Owners {
    return this.owners.get(name) ?? null;
  }

  async #missing(name: string): Promise<never> {
    throw new MgrError("not_found", `there is no preset '${name}'`);
  }
}
