import { once } from "node:events";
import { WebSocket } from "ws";

/** Width and height of the screen, and what is drawn on it, 4 bytes a pixel. */
export interface Screen {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

/** A viewer over `/mgr/vnc/ws` that speaks as much RFB 3.8 as it takes to log in, to type and to take one raw picture of the screen. */
export class Viewer {
  readonly ws: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  #bytes = Buffer.alloc(0);
  #received = 0;
  readonly #waiting = new Set<() => void>();
  #gone: string | null = null;
  name = "";
  width = 0;
  height = 0;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on("error", () => {});
    ws.on("message", (data: Buffer) => {
      this.#received += data.length;
      this.#bytes = Buffer.concat([this.#bytes, data]);
      for (const check of this.#waiting) check();
    });
    this.closed = new Promise((resolve) =>
      ws.once("close", (code, reason) => {
        this.#gone = `closed with ${code} '${reason}'`;
        for (const check of this.#waiting) check();
        resolve({ code, reason: String(reason) });
      }),
    );
  }

  /** Rejects with the status of the refusal. */
  static async open(url: string, authorization: string, query = ""): Promise<Viewer> {
    const ws = new WebSocket(`${url.replace(/^http/, "ws")}/mgr/vnc/ws${query}`, { headers: { authorization }, perMessageDeflate: false });
    const viewer = new Viewer(ws);
    const refused = new Promise<never>((_, reject) => {
      ws.once("unexpected-response", (_request, response) => {
        ws.terminate();
        reject(new Error(`refused with ${response.statusCode}`));
      });
      ws.once("error", reject);
    });
    await Promise.race([once(ws, "open"), refused]);
    await viewer.#handshake();
    return viewer;
  }

  /** Bytes that came so far. */
  get received(): number {
    return this.#received;
  }

  async screen(): Promise<Screen> {
    const request = Buffer.alloc(10);
    request[0] = 3;
    request.writeUInt16BE(this.width, 6);
    request.writeUInt16BE(this.height, 8);
    this.ws.send(request);
    const pixels = Buffer.alloc(this.width * this.height * 4);
    for (;;) {
      const type = (await this.#take(1))[0];
      if (type === 2) continue;
      if (type === 3) {
        await this.#take((await this.#take(7)).readUInt32BE(3));
        continue;
      }
      if (type !== 0) throw new Error(`an unexpected message ${type}`);
      await this.#rectangles(pixels);
      return { name: this.name, width: this.width, height: this.height, pixels };
    }
  }

  /** Types ASCII text; a newline is Return. */
  type(text: string): void {
    for (const character of text) {
      const key = character === "\n" ? 0xff0d : character.charCodeAt(0);
      for (const down of [1, 0]) {
        const event = Buffer.alloc(8);
        event[0] = 4;
        event[1] = down;
        event.writeUInt32BE(key, 4);
        this.ws.send(event);
      }
    }
  }

  /** Moves the pointer, and clicks. */
  click(x: number, y: number): void {
    for (const buttons of [0, 1, 0]) {
      const event = Buffer.alloc(6);
      event[0] = 5;
      event[1] = buttons;
      event.writeUInt16BE(x, 2);
      event.writeUInt16BE(y, 4);
      this.ws.send(event);
    }
  }

  close(): Promise<unknown> {
    this.ws.close();
    return this.closed;
  }

  async #handshake(): Promise<void> {
    const version = String(await this.#take(12));
    if (version !== "RFB 003.008\n") throw new Error(`not RFB 3.8: ${version}`);
    this.ws.send(Buffer.from(version));
    const types = await this.#take((await this.#take(1))[0] ?? 0);
    if (!types.includes(1)) throw new Error("no login without a password");
    this.ws.send(Buffer.from([1]));
    if ((await this.#take(4)).readUInt32BE() !== 0) throw new Error("the login failed");
    this.ws.send(Buffer.from([1]));
    const init = await this.#take(24);
    this.width = init.readUInt16BE(0);
    this.height = init.readUInt16BE(2);
    this.name = String(await this.#take(init.readUInt32BE(20)));
    // 32 bits a pixel, little-endian, blue first; raw pictures only.
    this.ws.send(Buffer.from([0, 0, 0, 0, 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]));
    this.ws.send(Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]));
  }

  async #rectangles(pixels: Buffer): Promise<void> {
    const count = (await this.#take(3)).readUInt16BE(1);
    for (let index = 0; index < count; index++) {
      const head = await this.#take(12);
      const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number];
      const bytes = await this.#take(width * height * 4);
      for (let row = 0; row < height; row++) {
        bytes.copy(pixels, ((y + row) * this.width + x) * 4, row * width * 4, (row + 1) * width * 4);
      }
    }
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) {
      if (this.#gone !== null) throw new Error(`the viewer was ${this.#gone}`);
      await new Promise<void>((resolve) => {
        const check = () => {
          this.#waiting.delete(check);
          resolve();
        };
        this.#waiting.add(check);
      });
    }
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

/** Number of colors on a screen: an empty one has very few. */
export function colorsOf({ pixels }: Screen): number {
  const colors = new Set<number>();
  for (let at = 0; at < pixels.length; at += 4) colors.add(pixels.readUInt32LE(at) & 0xffffff);
  return colors.size;
}
