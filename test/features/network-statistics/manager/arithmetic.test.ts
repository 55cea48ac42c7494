import fc from "fast-check";
import { expect, it } from "vitest";
import { increase, kernelIncrease, perSecond } from "../../../../src/features/network-statistics/increase.ts";
import { isShared, networkOf } from "../../../../src/features/network-statistics/manager/addresses.ts";
import { topologyOf } from "../../../../src/features/network-statistics/manager/topology.ts";
import { port } from "./support.ts";

const LIMIT = { interruptAfterTimeLimit: 2_000 };
const WORD = 2 ** 32;

it("the growth of a kernel counter is what was added, also over the end of 32 bits", () => {
  const cases = fc.property(fc.integer({ min: 0, max: WORD - 1 }), fc.integer({ min: 0, max: WORD / 2 - 1 }), (before, added) => {
    expect(kernelIncrease(before, (before + added) % WORD)).toBe(added);
  });
  fc.assert(cases, LIMIT);
});

it("the growth of a reset counter is its present value, and never negative", () => {
  expect(kernelIncrease(5 * WORD, 17)).toBe(17);
  expect(kernelIncrease(1_000, 17)).toBe(17);
  const cases = fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (before, after) => {
    expect(increase(before, after)).toBe(after >= before ? after - before : after);
    const grown = kernelIncrease(before, after);
    expect(grown).toBeGreaterThanOrEqual(0);
    expect(grown).toBeLessThanOrEqual(Math.max(before, after, WORD));
  });
  fc.assert(cases, LIMIT);
});

it("rates are computed over the time that passed, and are 0 if none has passed", () => {
  expect([perSecond(2_000, 2_000), perSecond(3, 1_500), perSecond(5, 0), perSecond(5, -1)]).toEqual([1_000, 2, 0, 0]);
});

it("networks are derived from addresses of both families", () => {
  expect(networkOf("10.0.0.7/24")).toBe("10.0.0.0/24");
  expect(networkOf("172.17.255.3/13")).toBe("172.16.0.0/13");
  expect(networkOf("fd00::1:2:3/64")).toBe("fd00::/64");
  expect(networkOf("fd00:1:2:3:4:5:6:7/52")).toBe("fd00:1:2::/52");
  expect([networkOf("10.0.0.7"), networkOf("10.0.0.7/33"), networkOf("x/8")]).toEqual([null, null, null]);
  expect(["127.0.0.1/8", "::1/128", "fe80::1/64", "169.254.1.1/16", "10.0.0.7/24", "fd00::1/64"].map(isShared)).toEqual([
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
});

it("every address of a network is reduced to the same network", () => {
  const cases = fc.property(
    fc.integer({ min: 0, max: WORD - 1 }),
    fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: WORD - 1 }),
    (base, prefix, other) => {
      const size = 2 ** (32 - prefix);
      const begin = Math.floor(base / size) * size;
      const text = (number: number) => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
      expect(networkOf(`${text(begin + (other % size))}/${prefix}`)).toBe(`${text(begin)}/${prefix}`);
    },
  );
  fc.assert(cases, LIMIT);
});

it("networks are those of the configuration first, then those of addresses; hosts that forward between them are gateways", () => {
  const configured = new Map([["lab", { netmasks: ["10.0.0.0/16"] }]]);
  const addresses = (...cidrs: string[]) => [port("lo", { addresses: ["127.0.0.1/8"] }), port("eth0", { addresses: cidrs })];
  const topology = topologyOf(
    [
      { host: "bench", forwards: true, interfaces: addresses("10.0.0.1/24") },
      { host: "rt1", forwards: true, interfaces: addresses("10.0.3.7/24", "192.168.4.7/24") },
      { host: "rt2", forwards: false, interfaces: addresses("10.0.0.8/24", "192.168.4.8/24") },
    ],
    configured,
  );
  expect(topology.networks).toEqual([
    {
      name: "lab",
      netmasks: ["10.0.0.0/16"],
      interfaces: [
        { host: "bench", interface: "eth0", ip: "10.0.0.1" },
        { host: "rt1", interface: "eth0", ip: "10.0.3.7" },
        { host: "rt2", interface: "eth0", ip: "10.0.0.8" },
      ],
    },
    {
      name: "192.168.4.0/24",
      netmasks: ["192.168.4.0/24"],
      interfaces: [
        { host: "rt1", interface: "eth0", ip: "192.168.4.7" },
        { host: "rt2", interface: "eth0", ip: "192.168.4.8" },
      ],
    },
  ]);
  expect(topology.gateways).toEqual([{ host: "rt1", networks: ["lab", "192.168.4.0/24"] }]);
});
