const FIRST_ROWS = 256;

/** Rows of a time and a number for each field, oldest first; NaN is no value. Uses typed arrays, which grow by doubling. */
export class Rows {
  #times = new Float64Array(FIRST_ROWS);
  #columns: Float64Array<ArrayBuffer>[];
  #begin = 0;
  #end = 0;

  constructor(fields: number) {
    this.#columns = Array.from({ length: fields }, () => new Float64Array(FIRST_ROWS));
  }

  get length(): number {
    return this.#end - this.#begin;
  }

  /** A view of the times; valid until the next row is added. */
  get times(): Float64Array {
    return this.#times.subarray(this.#begin, this.#end);
  }

  /** Views of the values of each field; valid until the next row is added. */
  get columns(): Float64Array[] {
    return this.#columns.map((column) => column.subarray(this.#begin, this.#end));
  }

  timeAt(row: number): number {
    return this.#times[this.#begin + row] ?? Number.NaN;
  }

  add(time: number, valueAt: (field: number) => number): void {
    if (this.#end === this.#times.length) this.#makeRoom();
    this.#times[this.#end] = time;
    for (const [field, column] of this.#columns.entries()) column[this.#end] = valueAt(field);
    this.#end++;
  }

  dropFirst(rows: number): void {
    this.#begin += Math.min(rows, this.length);
  }

  /** Index of the first row at a time or after it. */
  rowAt(time: number): number {
    let low = this.#begin;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low - this.#begin;
  }

  /** Moves the rows to the front of the arrays, or of larger arrays if they fill more than half. */
  #makeRoom(): void {
    const size = this.length > this.#times.length / 2 ? this.#times.length * 2 : this.#times.length;
    const moved = (values: Float64Array<ArrayBuffer>) => {
      const target = size === values.length ? values : new Float64Array(size);
      target.set(values.subarray(this.#begin, this.#end));
      return target;
    };
    this.#times = moved(this.#times);
    this.#columns = this.#columns.map(moved);
    this.#end -= this.#begin;
    this.#begin = 0;
  }
}
