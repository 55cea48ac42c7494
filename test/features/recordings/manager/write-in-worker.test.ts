import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeInWorker } from "../../../../src/features/recordings/manager/write-in-worker.ts";
import { RECORD_HEADER_BYTES, recordHeader } from "../../../../src/features/recordings/samples/sample-record.ts";
import type { WriteJob } from "../../../../src/features/recordings/samples/worker/write-job.ts";

// The built worker, with files of records as a host sends them.

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-writer-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const output = () => join(folder, "download");

function job(records: Uint8Array, changes: { count?: number; size?: number; path?: string } = {}): WriteJob {
  const { count = 1, size = records.length, path = output() } = changes;
  writeFileSync(join(folder, "records"), records);
  const about = {
    topic: "arm/state",
    host: "one",
    definition: "{}",
    definitionName: "",
    encoding: "json",
    only_ts: false,
    missed: 0,
  } as const;
  return {
    name: "arm",
    format: "pickle",
    forSpreadsheets: false,
    path,
    topics: [{ ...about, count, path: join(folder, "records"), size }],
  };
}

function record(text: string): Uint8Array {
  return Buffer.concat([recordHeader({ received: 1n, published: null, sequence: null }, text.length), Buffer.from(text)]);
}

it("errors of the writer keep their codes: of the program, and of the system", async () => {
  const damaged = writeInWorker(job(record('{"n":1}').subarray(0, -1)), never);
  await expect(damaged).rejects.toMatchObject({ name: "MgrError", code: "bad_field", message: expect.stringContaining("are damaged") });
  const nowhere = writeInWorker(job(record('{"n":1}'), { path: join(folder, "none", "download") }), never);
  await expect(nowhere).rejects.toMatchObject({ code: "ENOENT" });
});

it("a client that disconnects ends the worker while it writes", async () => {
  const count = 50_000_000;
  const spooled = job(new Uint8Array(), { count, size: count * RECORD_HEADER_BYTES });
  // Bytes that are not there are zeros: records without a payload, more than could be written in minutes.
  truncateSync(join(folder, "records"), count * RECORD_HEADER_BYTES);
  const gone = new AbortController();
  const writing = writeInWorker({ ...spooled, format: "csv" }, gone.signal);
  const check = expect(writing).rejects.toThrow("the client has gone");
  await expect.poll(() => statSync(output(), { throwIfNoEntry: false }) !== undefined).toBe(true);
  gone.abort(new Error("the client has gone"));
  await check;
});

it("a sample that needs more memory than a writer gets is an error of its download only", async () => {
  const list = record(`[${"[[]],".repeat(500_000)}[]]`);
  const small = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 };
  const refused = writeInWorker(job(list), never, small);
  await expect(refused).rejects.toMatchObject({ code: "too_large", message: expect.stringMatching(/more than 16 MiB of memory/) });
});
