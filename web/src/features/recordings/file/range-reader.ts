/** Size of a request, bytes: an indexed reader asks for small adjacent pieces. */
const BLOCK_BYTES = 1024 * 1024;
const MAX_BLOCKS = 16;

/** A file that is read by HTTP Range requests, a block at a time; the newest blocks are kept. */
export class RangeReader {
  readonly #address: string;
  readonly #fetch: typeof fetch;
  /** Blocks in the order of their use. */
  readonly #blocks = new Map<number, Promise<Uint8Array>>();
  #size: number | null = null;

  constructor(address: string, request: typeof fetch = (...args) => fetch(...args)) {
    this.#address = address;
    this.#fetch = request;
  }

  async size(): Promise<bigint> {
    await this.#block(0);
    return BigInt(this.#size ?? 0);
  }

  /** Reads bytes, fewer at the end of the file. The caller owns them. */
  async read(offset: bigint, length: bigint): Promise<Uint8Array> {
    const from = Number(offset);
    const until = from + Number(length);
    const bytes = new Uint8Array(until - from);
    let filled = 0;
    while (from + filled < until) {
      const at = from + filled;
      const number = Math.floor(at / BLOCK_BYTES);
      const block = await this.#block(number);
      const part = block.subarray(at - number * BLOCK_BYTES, until - number * BLOCK_BYTES);
      if (part.length === 0) break;
      bytes.set(part, filled);
      filled += part.length;
    }
    return bytes.subarray(0, filled);
  }

  #block(number: number): Promise<Uint8Array> {
    const block = this.#blocks.get(number) ?? this.#load(number);
    // The most recently used block is the last one.
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    block.catch(() => this.#blocks.delete(number));
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
    return block;
  }

  async #load(number: number): Promise<Uint8Array> {
    const from = number * BLOCK_BYTES;
    if (this.#size !== null && from >= this.#size) return new Uint8Array();
    const response = await this.#fetch(this.#address, { headers: { Range: `bytes=${from}-${from + BLOCK_BYTES - 1}` } });
    const [, size] = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "") ?? [];
    if (response.status !== 206 || size === undefined)
      throw new Error((await response.text()).trim() || `The manager answered ${response.status}.`);
    this.#size = Number(size);
    return new Uint8Array(await response.arrayBuffer());
  }
}
