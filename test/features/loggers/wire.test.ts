import { expect, it } from "vitest";
import { type Decoded, decodeFrame } from "../../../src/protocol/frames/decode.ts";
import { refusalFrame } from "../../../src/protocol/frames/refusal.ts";
import { validFrames } from "../../protocol/valid-frames.ts";

const decode = (frame: object): Decoded => decodeFrame(JSON.stringify(frame));

it("a wrong field of a configured topic is named by its path", () => {
  const topics = [
    { name: "a", log_size: 1, divisor: 1 },
    { name: "b", log_size: 1 },
  ];
  expect(decode({ type: "configure_logger", name: "l", only_ts: false, topics })).toMatchObject({
    error: { message: expect.stringMatching(/^'topics\[1\]\.divisor' of 'configure_logger' is missing/) },
  });
});

it("a refused frame is answered by its result, with the action", () => {
  expect(decode({ type: "stop_logger", name: "" })).toMatchObject({
    error: { type: "logger_action_result", ok: false, action: "stop", name: "", code: "bad_field" },
  });
  const refusal = { code: "not_found", message: "There is nothing of this name." } as const;
  expect(refusalFrame(validFrames.delete_logger, refusal)).toEqual({
    type: "logger_action_result",
    ok: false,
    ...refusal,
    action: "delete",
    name: "sim/world",
  });
});

it("a name that is too long does not travel back", () => {
  const { error } = decode({ type: "start_logger", name: "x".repeat(100_000) }) as Decoded & { ok: false };
  expect(error.type).toBe("error");
  expect(JSON.stringify(error).length).toBeLessThan(1_000);
});
