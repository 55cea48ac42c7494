import { Socket } from "node:net";
import { expect, it } from "vitest";
import type { NetworkFigures } from "../../../../src/features/network-statistics/host/index.ts";
import { NetworkMeter } from "../../../../src/features/network-statistics/host/network-meter.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const COUNTERS = { rx_packets: 0, tx_packets: 0, rx_errors: 0, tx_errors: 0, rx_drops: 0, tx_drops: 0 };
const counted = (name: string, rx_bytes: number, rest: object = {}) => ({ ...COUNTERS, name, rx_bytes, tx_bytes: 2 * rx_bytes, ...rest });
const INFO = { data_segments_out: 0, data_segments_delivered: 0, data_segments_in: 0 };

function meterRig() {
  const clock = new SimulatedClock();
  const now = { interfaces: [counted("eth0", 5_000)], sockets: new Map() };
  let readings = 0;
  const meter = new NetworkMeter({
    clock,
    readInterfaces: () => {
      readings++;
      return now.interfaces;
    },
    readSockets: () => now.sockets,
  });
  return { clock, now, meter, readings: () => readings };
}

it("the network is measured once a second from the increase of the counters, as long as there is a subscriber", async () => {
  const { clock, now, meter, readings } = meterRig();
  await clock.advance(10_000);
  expect(readings()).toBe(0);
  const found: NetworkFigures[] = [];
  const end = meter.subscribe((figures) => found.push(figures));
  now.interfaces = [counted("eth0", 6_000, { tx_drops: 3 }), counted("eth1", 100)];
  await clock.advance(1_000);
  expect(found).toMatchObject([
    {
      interfaces: [
        { interface: "eth0", rx_bytes_s: 1_000, tx_bytes_s: 2_000, tx_drops_s: 3, rx_errors_s: 0 },
        { interface: "eth1", rx_bytes_s: 100 },
      ],
      link: null,
    },
  ]);
  end();
  const before = readings();
  await clock.advance(10_000);
  expect([readings(), found.length]).toEqual([before, 1]);
});

it("connections to other machines are one link: what they carried together, and the slowest round trip", async () => {
  const { clock, now, meter } = meterRig();
  const [one, other] = [new Socket(), new Socket()];
  now.sockets.set(one, { ...INFO, sent: 1_000, received: 500, retransmits: 2, rtt_us: 300 });
  const found: NetworkFigures[] = [];
  meter.subscribe((figures) => found.push(figures));
  now.sockets = new Map([
    [one, { ...INFO, sent: 1_200, received: 600, retransmits: 3, rtt_us: 400 }],
    [other, { ...INFO, sent: 50, received: 10, retransmits: 0, rtt_us: 900 }],
  ]);
  await clock.advance(1_000);
  expect(found.at(-1)?.link).toEqual({ rtt_ms: 0.9, sent_bytes_s: 250, received_bytes_s: 110, retransmits_s: 1 });
});

it("of many interfaces, those with the most traffic are measured", async () => {
  const { clock, now, meter } = meterRig();
  now.interfaces = [];
  const found: NetworkFigures[] = [];
  meter.subscribe((figures) => found.push(figures));
  now.interfaces = Array.from({ length: 100 }, (_, n) => counted(`veth${n}`, n));
  await clock.advance(1_000);
  const names = found[0]?.interfaces.map((each) => each.interface);
  expect([names?.length, names?.[0], names?.at(-1)]).toEqual([32, "veth99", "veth68"]);
});
