import { MgrError, messageOf } from "../../../base/errors.ts";
import type { WarningLog } from "../../../base/throttled-warning.ts";
import { topicNameProblem } from "../../../base/topics/topic-subject.ts";
import { checkInput, type ParameterType, type ParameterTypes, parameterText, parseParameter } from "./parameter-text.ts";

export interface ParameterSpec<Type extends ParameterType = ParameterType> {
  readonly type: Type;
  /** Initial input. */
  readonly value: ParameterTypes[Type];
  readonly unit?: string;
  /** Limits of the value, both inclusive; for `float` and `int`. */
  readonly min?: number;
  readonly max?: number;
  readonly description?: string;
}

/** One parameter. The program sets `input` and uses `value`: the override while a user has enabled one, otherwise the input. */
export class ClientParameter<Type extends ParameterType = ParameterType> {
  readonly name: string;
  readonly #spec: ParameterSpec<Type>;
  readonly #listeners = new Set<(value: ParameterTypes[Type]) => void>();
  readonly #log: WarningLog;
  #input: ParameterTypes[Type];
  #override: ParameterTypes[Type];
  #isOverridden = false;

  /** Throws `bad_field`. */
  constructor(name: string, spec: ParameterSpec<Type>, log: WarningLog) {
    const problem = topicNameProblem(name);
    if (problem !== null) throw new MgrError("bad_field", `the name of the parameter '${name}' ${problem}`);
    checkInput(name, spec.type, spec.value);
    this.name = name;
    this.#spec = spec;
    this.#log = log;
    this.#input = spec.value;
    this.#override = spec.value;
  }

  /** The value to use: the override if it is enabled, else the input. */
  get value(): ParameterTypes[Type] {
    return this.#isOverridden ? this.#override : this.#input;
  }

  get input(): ParameterTypes[Type] {
    return this.#input;
  }

  /** Throws `bad_field` for another type. The range applies to overrides only. */
  set input(input: ParameterTypes[Type]) {
    checkInput(this.name, this.#spec.type, input);
    this.#change(() => {
      this.#input = input;
    });
  }

  get isOverridden(): boolean {
    return this.#isOverridden;
  }

  /** Called with each new `value`. Returns the function that unsubscribes. */
  onChange(listener: (value: ParameterTypes[Type]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Throws `bad_field` with a message for the user. */
  setOverride(enabled: boolean, text: unknown): { parameter: string; enabled: boolean; value: string } {
    // Disabling keeps the value of the override.
    const value = enabled ? this.#parse(text) : this.#override;
    this.#change(() => {
      this.#override = value;
      this.#isOverridden = enabled;
    });
    return { parameter: this.name, enabled, value: parameterText(value) };
  }

  /** The parameter as an entry of `list`. */
  describe(): Record<string, string | number | boolean | null> {
    const { type, unit = "", description = "", min = null, max = null } = this.#spec;
    return {
      name: this.name,
      type,
      unit,
      minimum: min,
      maximum: max,
      description,
      input: parameterText(this.#input),
      output: parameterText(this.value),
      override_value: parameterText(this.#override),
      override_enabled: this.#isOverridden,
    };
  }

  get schema(): object {
    const type = { float: "number", int: "integer", bool: "boolean", string: "string" }[this.#spec.type];
    return { title: `parameter.${this.#spec.type}`, type: "object", properties: { input: { type }, output: { type } } };
  }

  #parse(text: unknown): ParameterTypes[Type] {
    const { type, unit = "", min, max } = this.#spec;
    const value = typeof text === "string" ? parseParameter(type, text) : null;
    if (value === null)
      throw new MgrError("bad_field", `'${String(text).slice(0, 100)}' is not a value of type ${type} for '${this.name}'`);
    if ((min !== undefined && Number(value) < min) || (max !== undefined && Number(value) > max)) {
      const range = `${min ?? "-∞"} to ${max ?? "∞"}${unit === "" ? "" : ` ${unit}`}`;
      throw new MgrError("bad_field", `${value} is out of range for '${this.name}': it must be ${range}`);
    }
    return value as ParameterTypes[Type];
  }

  #change(apply: () => void): void {
    const before = this.value;
    apply();
    if (Object.is(before, this.value)) return;
    for (const listener of this.#listeners) {
      try {
        listener(this.value);
      } catch (error) {
        this.#log("error", `a listener of the parameter '${this.name}' failed: ${messageOf(error)}`);
      }
    }
  }
}
