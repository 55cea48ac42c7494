import { MgrError } from "../../../src/base/errors.ts";
import { presetsExtension } from "../../../src/features/presets/manager/index.ts";
import type { Presets } from "../../../src/features/presets/manager/presets.ts";

/** A folder without presets. */
export class FakePresets implements Presets {
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

  ownersOf() {
    return null;
  }

  async #missing(name: string): Promise<never> {
    throw new MgrError("not_found", `there is no preset '${name}'`);
  }
}
