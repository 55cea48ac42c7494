import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import { decodeWaitStatus } from "../../src/daemon/native/wait-status.ts";
import { ackFrame, encodeFrame, errorFrame } from "../../src/protocol/frames/encode.ts";
import { processName } from "../../src/protocol/frames/field-kinds.ts";
import { clientFrames } from "../../src/protocol/frames/frame-table.ts";
import { CLIENT_FRAMES, type ClientFrameType, MANAGER_FRAMES } from "../../src/protocol/frames/frames.ts";
import { refusalFrame } from "../../src/protocol/frames/refusal.ts";
import { process } from "../../src/protocol/process/process.ts";
import { isSignal, realTimeNumber } from "../../src/protocol/process/signals.ts";
import { SIGNALS } from "../../src/protocol/resources/resources.ts";
import { fakeProcess } from "../support/fakes/fake-control.ts";
import { validFrames } from "./valid-frames.ts";

const TYPES = Object.keys(CLIENT_FRAMES) as ClientFrameType[];

describe("the table of client frames", () => {
  it.each(TYPES)("%s is answered by ack, or by a frame that answers", (type) => {
    const { answer } = CLIENT_FRAMES[type];
    expect(["ack", "answer", "result"]).toContain(answer === null ? "ack" : MANAGER_FRAMES[answer].kind);
  });

  it("builds the schema of a frame when it is first read, and once", () => {
    let built = 0;
    const fields = {
      get name() {
        built++;
        return processName;
      },
    };
    const { probe } = clientFrames("Test", { probe: { fields, answer: null, scope: "own", role: "viewer", meaning: "A test." } });
    expect(built).toBe(0);
    expect(probe.schema.safeParse({ type: "probe", name: "a" }).success).toBe(true);
    expect(probe.schema.safeParse({ type: "probe" }).success).toBe(false);
    expect(built).toBe(1);
  });

  it("lists a request for every frame that answers", () => {
    const answers = new Set<string | null>(TYPES.map((type) => CLIENT_FRAMES[type].answer));
    const unreachable = Object.entries(MANAGER_FRAMES).filter(
      ([type, { kind }]) => kind !== "event" && type !== "error" && !answers.has(type),
    );
    expect(unreachable).toEqual([]);
  });

  it("finds frames about a process or group by their name field", () => {
    for (const type of TYPES) {
      if (CLIENT_FRAMES[type].scope === "name") expect(Object.keys(CLIENT_FRAMES[type].fields)).toContain("name");
    }
  });
});

/** Fields that name the object of a frame. */
const NAMING = ["name", "id", "host", "pid", "tid", "path", "service", "provider_id", "parameter", "endpoint", "pattern"];

describe("a refusal of an accepted frame", () => {
  const refusal = { code: "not_found", message: "There is nothing of this name." } as const;

  it.each(TYPES)("of %s repeats the fields that name its object, if it has a result", (type) => {
    const asked: Readonly<Record<string, unknown>> = validFrames[type];
    const { answer, fields, schema } = CLIENT_FRAMES[type];
    if (answer === null || MANAGER_FRAMES[answer].kind !== "result") return;
    const isRequired = (field: string) =>
      !schema.safeParse(Object.fromEntries(Object.entries(asked).filter(([name]) => name !== field))).success;
    const named = NAMING.filter((field) => field in fields && isRequired(field)).map((field) => [field, asked[field]]);
    expect(refusalFrame({ ...asked, type }, refusal)).toMatchObject(Object.fromEntries(named));
  });

  it.each(TYPES)("of %s is its result with ok: false, else an error, and conforms to its schema", (type) => {
    const frame = refusalFrame({ ...validFrames[type], request_id: "r" }, refusal);
    const { answer } = CLIENT_FRAMES[type];
    const hasResult = answer !== null && MANAGER_FRAMES[answer].kind === "result";
    expect(frame.type).toBe(hasResult ? answer : "error");
    expect(frame).toMatchObject({ ...refusal, request_id: "r", ...(hasResult ? { ok: false } : { request_type: type }) });
    const read = MANAGER_FRAMES[frame.type].schema.safeParse(JSON.parse(encodeFrame(frame).toString()));
    expect(read.data).toEqual(frame);
  });

  it("repeats the fields that name its subject", () => {
    expect(refusalFrame(validFrames.set_process_attribute, refusal)).toEqual({
      type: "process_attribute_set_result",
      ok: false,
      ...refusal,
      name: "sim/world",
      attribute: "start_tool",
    });
  });
});

describe("ack and error", () => {
  it("an ack echoes type and request_id; without a request_id there is none", () => {
    expect(ackFrame({ type: "start_process", name: "a", request_id: 0 })).toEqual({
      type: "ack",
      request_type: "start_process",
      request_id: 0,
    });
    expect(ackFrame({ type: "start_process", name: "a" })).toBeNull();
  });

  it("an error has only the known fields of the frame", () => {
    expect(errorFrame({ code: "bad_json", message: "no" })).toEqual({ type: "error", code: "bad_json", message: "no" });
  });
});

describe("the process resource", () => {
  it("has exactly the fields of its schema", () => {
    expect(Object.keys(fakeProcess("a/b")).sort()).toEqual(Object.keys(process.shape).sort());
    expect(process.parse(fakeProcess("a/b"))).toEqual(fakeProcess("a/b"));
  });
});

describe("the signals", () => {
  it("of real time have the names that exits report, and the kernel's numbers", () => {
    for (let number = 34; number <= 64; number++) {
      const name = decodeWaitStatus(number).signal ?? "";
      expect([name, isSignal(name), realTimeNumber(name)]).toEqual([name, true, number]);
    }
    expect([realTimeNumber("SIGRTMIN+30"), realTimeNumber("SIGRTMAX-30"), realTimeNumber("SIGTERM")]).toEqual([64, 34, null]);
    for (const wrong of ["SIGRTMIN+31", "SIGRTMIN-1", "SIGRTMAX+1", "SIGRTMIN+0", "SIGRTMIN+03", "SIGRT", "RTMIN", "SIGRTMIN+3\n"])
      expect(isSignal(wrong), wrong).toBe(false);
  });

  it("are those of this system", () => {
    expect([...SIGNALS].sort()).toEqual(Object.keys(constants.signals).sort());
  });
});
