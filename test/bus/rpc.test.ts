import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { MgrError } from "../../src/base/errors.ts";
import { answerProcedure, callProcedure } from "../../src/bus/client/rpc.ts";
import { decodeAnswer, encodeError, encodeResult } from "../../src/bus/client/rpc-envelope.ts";
import { BusRig } from "./bus-rig.ts";

const double = z.object({ n: z.number() });
const slice = z.object({ from: z.number(), data: z.instanceof(Uint8Array) });

async function rpcRig() {
  const rig = await BusRig.start();
  const [asker, server] = await Promise.all([rig.bus("asker"), rig.memoryBus("server")]);
  const problems: string[] = [];
  const serve = async (answer: (request: { n: number }) => Promise<{ n: number }>) => {
    const handle = async (request: unknown) => {
      const checked = double.safeParse(request);
      if (!checked.success) throw new MgrError("bad_field", "'n' must be a number");
      return answer(checked.data);
    };
    server.subscribe("double", (message) => void answerProcedure(server, message, { handle, log: (_level, msg) => problems.push(msg) }));
    await server.flush();
  };
  const ask = (n: number, timeoutMs = 60_000) => callProcedure(asker, "double", double, { request: { n }, timeoutMs });
  return { rig, asker, server, problems, serve, ask, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

describe("requests on the bus", () => {
  it("are answered, in any order, each to its requester", async () => {
    await using rpc = await rpcRig();
    const waiting: (() => void)[] = [];
    await rpc.serve(async ({ n }) => {
      await new Promise<void>((resolve) => waiting.unshift(resolve));
      return { n: 2 * n };
    });
    const answers = [1, 2, 3].map((n) => rpc.ask(n));
    while (waiting.length < 3) await rpc.asker.flush();
    const settled: number[] = [];
    for (const answer of answers) void answer.then(({ n }) => settled.push(n));
    for (const release of waiting) {
      release();
      await rpc.server.flush();
      await rpc.asker.flush();
    }
    expect(await Promise.all(answers)).toEqual([{ n: 2 }, { n: 4 }, { n: 6 }]);
    expect(settled).toEqual([6, 4, 2]);
  });

  it("carry errors of the catalogue with message and details", async () => {
    await using rpc = await rpcRig();
    await rpc.serve(async () => {
      throw new MgrError("conflict", "it lives", { details: { run: { pid: 7 } } });
    });
    await expect(rpc.ask(1)).rejects.toMatchObject({
      name: "MgrError",
      code: "conflict",
      message: "it lives",
      details: { run: { pid: 7 } },
    });
  });

  it("that hit a defect are answered with internal; the log has the cause, the answer has not", async () => {
    await using rpc = await rpcRig();
    await rpc.serve(async () => {
      throw new TypeError("secret detail");
    });
    await expect(rpc.ask(1)).rejects.toMatchObject({ code: "internal", message: expect.not.stringContaining("secret") });
    expect(rpc.problems.join()).toContain("secret detail");
  });

  it("are checked where they arrive: a wrong request by the server, a wrong answer by the requester", async () => {
    await using rpc = await rpcRig();
    let asked = 0;
    await rpc.serve(async () => {
      asked++;
      return { n: "two" } as unknown as { n: number };
    });
    await expect(rpc.ask("one" as unknown as number)).rejects.toMatchObject({ code: "bad_field" });
    expect(asked).toBe(0);
    await expect(rpc.ask(1)).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("does not fit its schema") });
    expect(asked).toBe(1);
    for (const garbage of ["not json", "[]", '{"n":"x"}', ""]) {
      const answer = await rpc.asker.request("double", garbage, { timeoutMs: 60_000 });
      expect(() => decodeAnswer(answer.data)).toThrow(expect.objectContaining({ code: "bad_field" }));
    }
  });

  it("without an answer are carried out and not answered", async () => {
    await using rpc = await rpcRig();
    let asked = 0;
    await rpc.serve(async ({ n }) => {
      asked += n;
      return { n };
    });
    rpc.asker.publish("double", '{"n":1}');
    await rpc.ask(2);
    expect([asked, rpc.problems]).toEqual([3, []]);
  });

  it("reject an answer that another program might have given", async () => {
    await using rpc = await rpcRig();
    rpc.server.subscribe("double", (message) => message.reply && rpc.server.publish(message.reply, '{"hello":"world"}'));
    await rpc.server.flush();
    await expect(rpc.ask(1)).rejects.toMatchObject({ code: "internal" });
  });

  it("end with timeout, or with host_unavailable if there is no responder", async () => {
    await using rpc = await rpcRig();
    await expect(rpc.ask(1)).rejects.toMatchObject({ code: "host_unavailable" });
    await rpc.serve(() => new Promise(() => {}));
    await expect(rpc.ask(1, 30)).rejects.toMatchObject({ code: "timeout" });
  });

  it("over the message limit are not sent, and answers over it are internal", async () => {
    await using rpc = await rpcRig();
    const echo = z.object({ text: z.string() });
    rpc.server.subscribe("grow", (message) => {
      const handle = async (request: unknown) => ({ text: echo.parse(request).text.repeat(1_000) });
      void answerProcedure(rpc.server, message, { handle, log: (_level, msg) => rpc.problems.push(msg) });
    });
    await rpc.server.flush();
    const grow = (text: string) => callProcedure(rpc.asker, "grow", echo, { request: { text }, timeoutMs: 60_000 });
    await expect(grow("x".repeat(600_000))).rejects.toMatchObject({ code: "too_large" });
    await expect(grow("x".repeat(1_000))).rejects.toMatchObject({ code: "internal" });
    expect(rpc.problems.join()).toContain("should have been paged");
  });

  it("carry bytes as they are", async () => {
    await using rpc = await rpcRig();
    const bytes = Uint8Array.from({ length: 262_144 }, (_, index) => index % 251);
    rpc.server.subscribe("slice", (message) => {
      const handle = async (request: unknown) => ({ from: 5, data: bytes.subarray(0, (request as { length: number }).length) });
      void answerProcedure(rpc.server, message, { handle, log: () => {} });
    });
    await rpc.server.flush();
    for (const length of [0, 1, 262_144]) {
      const answer = await callProcedure(rpc.asker, "slice", slice, { request: { length }, timeoutMs: 60_000 });
      expect(answer.from).toBe(5);
      expect(Buffer.from(answer.data).equals(bytes.subarray(0, length))).toBe(true);
    }
  });
});

describe("the envelope of answers", () => {
  it("throws nothing but MgrError, whatever it is given", () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.concat([Buffer.from([1, 0, 0, 0]), bytes])),
      fc.json().map((json) => Buffer.from(json)),
      fc.constant(encodeError(new MgrError("busy", "full"))),
    );
    fc.assert(
      fc.property(pieces, (bytes) => {
        try {
          decodeAnswer(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MgrError);
        }
      }),
    );
  });

  it("returns bytes and fields as they were", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), fc.string(), (data, from, text) => {
        const decoded = decodeAnswer(encodeResult({ from, text, data })) as { data: Uint8Array };
        expect({ ...decoded, data: [...decoded.data] }).toEqual({ from, text, data: [...data] });
      }),
    );
  });

  it("turns a code of a newer program into internal", () => {
    const bytes = Buffer.from('{"ok":false,"error":{"code":"from_the_future","message":"x","details":null}}');
    expect(() => decodeAnswer(bytes)).toThrow(expect.objectContaining({ code: "internal", message: "x" }));
  });
});
