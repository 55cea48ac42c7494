import { expect, test } from "vitest";
import { OutputRoutes } from "../../../src/bus/host-link/output-routes.ts";

function rig() {
  let time = 0;
  const ways = new OutputRoutes(() => time);
  return {
    send: (name: string, bytes: number) => ways.mayPass({ name, stream_id: "s", offset: 0, gap: 0, data: new Uint8Array(bytes) }),
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test("without a flood, all output takes the same route, in order", () => {
  const { send, wait } = rig();
  for (let key = 0; key < 100; key++) {
    expect(send("shell", 1)).toBe(false);
    wait(2_000);
  }
});

test("short output overtakes the flood of another process; the flood itself and longer output do not", () => {
  const { send } = rig();
  expect(send("flood", 64 * 1024)).toBe(false);
  expect(send("shell", 1)).toBe(true);
  expect(send("shell", 4_096)).toBe(true);
  expect(send("flood", 1)).toBe(false);
  expect(send("shell", 5_000)).toBe(false);
});

test("a process that has sent much itself overtakes a flood only after enough other output, or enough time", () => {
  const { send, wait } = rig();
  const flood = (chunks: number) => {
    for (let chunk = 0; chunk < chunks; chunk++) send("flood", 64 * 1024);
  };
  flood(1);
  send("shell", 10_000);
  expect(send("shell", 1), "little of its own").toBe(true);
  send("shell", 10_000);
  expect(send("shell", 1)).toBe(false);
  flood(31);
  expect(send("shell", 1)).toBe(false);
  flood(34);
  expect(send("shell", 1)).toBe(true);
  send("shell", 20_000);
  wait(1_000);
  flood(1);
  expect(send("shell", 1)).toBe(false);
  wait(1_001);
  flood(1);
  expect(send("shell", 1)).toBe(true);
  expect(send("shell", 0), "what says where a stream begins or is broken").toBe(false);
});

test("after the flood, its route is free again", () => {
  const { send, wait } = rig();
  send("flood", 64 * 1024);
  expect(send("shell", 1)).toBe(true);
  wait(100);
  expect(send("shell", 1)).toBe(false);
});
