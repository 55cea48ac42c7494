import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headers } from "@nats-io/nats-core";
import { expect, test } from "vitest";
import { connectBus } from "../../../src/bus/client/connect-bus.ts";
import type { DaemonLogger } from "../../../src/features/loggers/wire.ts";
import { decodeRecords } from "../../../src/features/recordings/samples/sample-record.ts";
import type { Sample } from "../../../src/features/recordings/samples/samples.ts";
import { register } from "../../bus/registry/registry-rig.ts";
import { Judge } from "../../features/recordings/samples/formats/judge.ts";
import { canonical } from "../../features/recordings/samples/formats/recorded.ts";
import { untar } from "../../support/untar.ts";
import type { Client } from "../support/client.ts";
import { Fleet } from "../support/fleet.ts";
import { eventually } from "../support/wait.ts";

// A publisher on another machine. The link to it is cut, and the manager killed meanwhile: the daemon of the publisher's host goes on.

const TOPIC = "arm/state";
const DEFINITION = JSON.stringify({ title: "ArmState", type: "object", properties: { position: { type: "number" } } });

/** Publishes numbered samples in the broker of a host, whatever becomes of its link. */
async function publisherOn(fleet: Fleet, host: string) {
  const { path, token } = await fleet.bus(host);
  const { connection } = await connectBus({ server: { kind: "unix", path }, name: "arm", token, waitForBroker: false });
  const topics = [{ name: TOPIC, encoding: "json", definition: DEFINITION }];
  expect(await register(connection, { name: "arm", topics })).toMatchObject({ ok: true });
  const sent: { text: string; published: bigint }[] = [];
  return {
    sent,
    /** Resolves when the broker has taken them. */
    async publish(count: number): Promise<void> {
      for (let n = 0; n < count; n++) {
        const sample = { text: JSON.stringify({ position: sent.length / 4 }), published: BigInt(Date.now()) * 1_000_000n };
        sent.push(sample);
        const about = headers();
        about.set("Mgr-Seq", String(sent.length));
        about.set("Mgr-Time", String(sample.published));
        connection.publish("topic.arm.state", sample.text, { headers: about });
      }
      await connection.flush();
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

const loggers = async (client: Client) => (await client.ask({ type: "request_loggers" })).loggers as DaemonLogger[];
const countOf = async (client: Client, name: string) =>
  (await loggers(client)).find((logger) => logger.name === name)?.topics.reduce((sum, { n_samples }) => sum + n_samples, 0);
const isReady = async (client: Client, host: string) =>
  ((await client.snapshot()).host_list as { name: string; daemon_ready: boolean }[]).find(({ name }) => name === host)?.daemon_ready;

async function samplesOf(tar: Buffer, onlyTimes = false): Promise<Sample[]> {
  const files = untar(tar);
  const { topics } = JSON.parse(String(files.get("index.json"))) as {
    topics: { topic: string; file: string; host: string; missed: number }[];
  };
  expect(topics).toMatchObject([{ topic: TOPIC, host: "rt1", missed: 0, definition: DEFINITION, encoding: "json" }]);
  async function* pieces() {
    yield files.get(topics[0]?.file ?? "") ?? Buffer.alloc(0);
  }
  const samples: Sample[] = [];
  for await (const { payload, ...times } of decodeRecords(pieces(), onlyTimes))
    samples.push({ ...times, payload: payload === null ? null : Buffer.from(payload) });
  return samples;
}

/** Numbers of the samples; each is compared with what was published under this number. */
function numbersOf(samples: readonly Sample[], sent: readonly { text: string; published: bigint }[]): number[] {
  let last = 0n;
  return samples.map(({ sequence, published, received, payload }) => {
    const number = Number(sequence) - 1;
    expect({ published, text: payload === null ? null : String(payload) }).toEqual({
      published: sent[number]?.published,
      text: payload === null ? null : sent[number]?.text,
    });
    expect(received).toBeGreaterThanOrEqual(last);
    last = received;
    return number;
  });
}

/** Samples that a logger keeps: more than are published before a download. */
const LOG_SIZE = 100_000;

const every = (step: number, count: number) => Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);

test("a download has every sample of a time in which the link was cut and the manager killed; divisor, only_ts and stop=1 hold", async () => {
  await using fleet = await Fleet.up({ hosts: ["rt1"], processes: {} });
  let client = await fleet.connect();
  await eventually("the host is ready", () => isReady(client, "rt1"));
  await using program = await publisherOn(fleet, "rt1");
  const configure = async (name: string, divisor: number, only_ts: boolean) => {
    const topics = [{ name: TOPIC, log_size: LOG_SIZE, divisor }];
    expect(await client.ask({ type: "configure_logger", name, only_ts, topics })).toMatchObject({ ok: true });
    expect(await client.ask({ type: "start_logger", name })).toMatchObject({ ok: true });
  };
  await configure("all", 1, false);
  await configure("sevenths", 7, false);
  await configure("times", 1, true);
  await program.publish(1_000);
  await eventually("they are counted", async () => (await countOf(client, "all")) === 1_000);

  fleet.link("rt1", "cut");
  await program.publish(1_000);
  await fleet.killManager();
  await program.publish(1_000);
  await fleet.startManager();
  client = await fleet.connect();
  await program.publish(1_000);
  await expect(fleet.get("/mgr/logger-download?name=all")).rejects.toThrow(/503.*'rt1'/);
  fleet.link("rt1", "good");
  await eventually("the host is back", () => isReady(client, "rt1"));
  await program.publish(1_000);
  const { sent } = program;
  await eventually("all are counted", async () => (await countOf(client, "all")) === sent.length);

  const raw = await samplesOf(await fleet.get("/mgr/logger-download?name=all&format=raw"));
  expect(numbersOf(raw, sent)).toEqual(every(1, sent.length));
  const sevenths = await samplesOf(await fleet.get("/mgr/logger-download?name=sevenths&format=raw"));
  expect(numbersOf(sevenths, sent)).toEqual(every(7, sent.length));
  const times = await samplesOf(await fleet.get("/mgr/logger-download?name=times&format=raw"), true);
  expect(numbersOf(times, sent)).toEqual(every(1, sent.length));
  await pickleAgrees(await fleet.get("/mgr/logger-download?name=all"), raw, sent);

  // Samples go on while the logger is stopped and collected; never so many that the first ones leave the ring, however long the stop takes.
  let isOver = false;
  const flood = (async () => {
    while (!isOver && sent.length < LOG_SIZE / 2) await program.publish(20);
  })();
  const stopped = await samplesOf(await fleet.get("/mgr/logger-download?name=all&format=raw&stop=1"));
  isOver = true;
  await flood;
  expect(numbersOf(stopped, sent)).toEqual(every(1, stopped.length));
  expect((await loggers(client)).find(({ name }) => name === "all")).toMatchObject({ enabled: false, topics: [{ enabled: false }] });
  await program.publish(100);
  const again = await samplesOf(await fleet.get("/mgr/logger-download?name=all&format=raw"));
  expect(again.length).toBe(stopped.length);
}, 300_000);

/** Python's standard library finds in the pickle what is in the raw download, and what was published. */
async function pickleAgrees(pickle: Buffer, raw: readonly Sample[], sent: readonly { text: string }[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "mgr-loggers-"));
  const judge = new Judge("-I", "-S");
  try {
    writeFileSync(join(dir, "arm.pickle"), pickle);
    const found = await judge.read("pickle", join(dir, "arm.pickle"), { position: ["float64", "scalar"] });
    const positions = sent.map(({ text }) => canonical("float64", (JSON.parse(text) as { position: number }).position));
    expect(found).toMatchObject({ [TOPIC]: { time_ns: raw.map(({ received }) => String(received)), fields: { position: positions } } });
  } finally {
    await judge.end();
    rmSync(dir, { recursive: true, force: true });
  }
}
