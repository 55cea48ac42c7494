import { type FieldPath, fieldAt, numberOf, parseFieldPath } from "../../field-path.ts";
import type { TopicSample } from "../data-plane.ts";

/** Maximum number of samples in one frame; later ones are left out until it is sent. */
const MAX_SAMPLES = 5_000;
const US_PER_MS = 1_000;

/** Numeric fields of the samples since the last frame: the data for a plot of a fast topic, without the rest of its messages. */
export class SampleBatch {
  readonly #paths: readonly FieldPath[];
  #times: number[] = [];
  #values: (number | null)[][];

  constructor(fields: readonly string[]) {
    this.#paths = fields.map((field) => parseFieldPath(field) ?? []);
    this.#values = fields.map(() => []);
  }

  /** `time` is in milliseconds. */
  add(time: number, value: unknown): void {
    if (this.#times.length >= MAX_SAMPLES) return;
    this.#times.push(Math.round(time * US_PER_MS));
    for (const [index, path] of this.#paths.entries()) {
      const number = numberOf(fieldAt(value, path));
      this.#values[index]?.push(number !== null && Number.isFinite(number) ? number : null);
    }
  }

  take(): NonNullable<TopicSample["batch"]> {
    const taken = { times: this.#times, values: this.#values };
    this.#times = [];
    this.#values = this.#paths.map(() => []);
    return taken;
  }
}
