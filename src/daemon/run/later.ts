import { MgrError } from "../../base/errors.ts";

/** A value that its listeners refer to before it is there. */
export class Later<T extends object> {
  #value: T | null = null;

  set(value: T): T {
    this.#value = value;
    return value;
  }

  get value(): T {
    if (this.#value === null) throw new MgrError("internal", "a child was heard before its start returned");
    return this.#value;
  }
}
