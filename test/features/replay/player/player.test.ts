import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { MAX_RATE } from "../../../../src/features/replay/player/play-options.ts";
import { PlaySource } from "../../../../src/features/replay/player/play-source.ts";
import { Player, type PlayerOptions } from "../../../../src/features/replay/player/player.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { BEGIN, folder, mcapFile, numbered, timeAt } from "../mcap-files.ts";

const dir = folder();
afterAll(() => rmSync(dir, { recursive: true }));

/** A play of a file with 10 messages, one each 100 ms, in simulated time. */
class Rig implements AsyncDisposable {
  readonly clock = new SimulatedClock();
  /** Number and time of each message that was published, by the clock. */
  readonly seen: [n: number, at: number][] = [];
  /** Times of the play that were published, in milliseconds since its beginning, with the rate. */
  readonly times: [at: number, rate: number][] = [];
  readonly source: PlaySource;
  readonly player: Player;
  room: Promise<void> | null = null;
  readonly #run: Promise<void>;
  isOver = false;

  constructor(source: PlaySource, options: Partial<PlayerOptions>) {
    this.source = source;
    this.player = new Player({
      source,
      clock: this.clock,
      wants: () => true,
      from: source.start,
      until: source.end,
      rate: 1,
      isLooping: false,
      isPaused: false,
      ...options,
      output: {
        publish: ({ data }) => {
          this.seen.push([(JSON.parse(new TextDecoder().decode(data)) as { n: number }).n, this.clock.monotonic()]);
          return this.room;
        },
        time: (time, rate) => this.times.push([Number(time - BEGIN) / 1e6, rate]),
      },
    });
    this.#run = this.player.run().finally(() => {
      this.isOver = true;
    });
  }

  static async open(options: Partial<PlayerOptions> = {}): Promise<Rig> {
    const path = await mcapFile(join(dir, "ten.mcap"), numbered("arm/state", 10, 100));
    return new Rig(await PlaySource.open([path]), options);
  }

  /** Advances in small steps: what is read from the file comes in turns of the event loop, without the clock. */
  async advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      await this.#read();
      await this.clock.advance(10);
    }
    await this.#read();
  }

  /** Until the play waits for its next message, or has ended. */
  async #read(): Promise<void> {
    while (!this.isOver && this.clock.pending === 0 && !this.player.isPaused && this.room === null)
      await new Promise((resolve) => setImmediate(resolve));
    await this.clock.settle();
  }

  get numbers(): number[] {
    return this.seen.map(([n]) => n);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.player.stop();
    await this.#run.catch(() => {});
    await this.source[Symbol.asyncDispose]();
  }
}

test("messages are published at the recorded times, and the time of the play with them", async () => {
  await using rig = await Rig.open();
  await rig.advance(1_000);
  expect(rig.seen.map(([n, at]) => [n, Math.round(at)])).toEqual(Array.from({ length: 10 }, (_, n) => [n, n * 100]));
  expect(rig.isOver).toBe(true);
  const times = rig.times.map(([at]) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBe(900);
  expect(times.length).toBeGreaterThan(80);
});

test("a rate changes the pace while it plays", async () => {
  await using rig = await Rig.open({ rate: 2 });
  await rig.advance(200);
  expect(rig.numbers).toEqual([0, 1, 2, 3, 4]);
  rig.player.setRate(0.5);
  await rig.advance(400);
  expect(rig.numbers).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("a pause publishes nothing, a step publishes one message, and then the play goes on in time", async () => {
  await using rig = await Rig.open();
  await rig.advance(250);
  rig.player.pause();
  await rig.advance(500);
  expect(rig.numbers).toEqual([0, 1, 2]);
  expect(rig.times.at(-1)).toEqual([250, 0]);
  rig.player.step();
  await rig.advance(500);
  expect(rig.numbers).toEqual([0, 1, 2, 3]);
  expect(rig.times.at(-1)).toEqual([300, 0]);
  rig.player.resume();
  await rig.advance(110);
  expect(rig.numbers).toEqual([0, 1, 2, 3, 4]);
});

test("a seek goes forward and back, and publishes nothing in between", async () => {
  await using rig = await Rig.open();
  await rig.advance(150);
  rig.player.seek(700);
  await rig.advance(110);
  expect(rig.numbers).toEqual([0, 1, 7, 8]);
  rig.player.seek(-1);
  await rig.advance(50);
  expect(rig.numbers).toEqual([0, 1, 7, 8, 0]);
});

test("a loop begins again, and a part of the recording can be chosen", async () => {
  await using rig = await Rig.open({ isLooping: true, from: timeAt(300), until: timeAt(500) });
  await rig.advance(600);
  expect(rig.numbers.slice(0, 6)).toEqual([3, 4, 5, 3, 4, 5]);
});

test("a play that cannot publish in time goes on late, instead of in a burst", async () => {
  await using rig = await Rig.open();
  await rig.advance(150);
  let makeRoom = () => {};
  rig.room = new Promise((resolve) => {
    makeRoom = resolve;
  });
  await rig.advance(600);
  expect(rig.numbers).toEqual([0, 1, 2]);
  rig.room = null;
  makeRoom();
  await rig.advance(20);
  expect(rig.numbers).toEqual([0, 1, 2, 3]);
  expect(rig.player.lateMs).toBeGreaterThan(300);
  await rig.advance(100);
  expect(rig.numbers).toEqual([0, 1, 2, 3, 4]);
});

test("a file that fails while it is read ends the play with the error, after all that was read of it", async () => {
  const path = await mcapFile(join(dir, "fails.mcap"), numbered("arm/state", 10, 100));
  await using source = await PlaySource.open([path]);
  const seen: bigint[] = [];
  const player = new Player({
    source: {
      async *messages(...args) {
        for await (const message of source.messages(...args)) {
          if (message.logTime === timeAt(300)) throw new Error("input/output error");
          yield message;
        }
      },
    },
    output: {
      publish: ({ logTime }) => {
        seen.push(logTime);
        return null;
      },
      time: () => {},
    },
    clock: new SimulatedClock(),
    wants: () => true,
    from: source.start,
    until: source.end,
    rate: MAX_RATE,
    isLooping: false,
    isPaused: true,
  });
  const played = player.run();
  for (let n = 0; n < 4; n++) player.step();
  await expect(played).rejects.toThrow("input/output error");
  expect(seen).toEqual([timeAt(0), timeAt(100), timeAt(200)]);
});

test("a failure of the output ends the play with it", async () => {
  const source = await PlaySource.open([await mcapFile(join(dir, "failure.mcap"), numbered("arm/state", 3, 0))]);
  const output = {
    publish: () => {
      throw new Error("the connection was lost");
    },
    time: () => {},
  };
  const clock = new SimulatedClock();
  const options = { source, output, clock, wants: () => true, from: source.start, until: source.end };
  const player = new Player({ ...options, rate: 1, isLooping: false, isPaused: false });
  await expect(player.run()).rejects.toThrow("the connection was lost");
  await source[Symbol.asyncDispose]();
});
