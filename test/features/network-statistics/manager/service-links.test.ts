import { expect, it } from "vitest";
import type { NetworkRow } from "../../../../src/features/network-statistics/contract.ts";
import { measure } from "../../../../src/features/network-statistics/manager/measure.ts";
import { problemsOf } from "../../../../src/features/network-statistics/manager/problems.ts";
import type { Sample } from "../../../../src/features/network-statistics/manager/sample.ts";
import { NO_FINDINGS, PLACE, reading, sample } from "./support.ts";

type Kind = "crossing" | "arrived" | "answered" | "answers";
const SUBJECT = "svc.adder.add";
const row = (kind: Kind, msgs: number): NetworkRow => ({ kind, subject: SUBJECT, msgs, bytes: msgs * 100 });
const instance = (broker: string) => ({ service: "adder", subjects: [SUBJECT], broker });

/** A stretch of 2 s: hosts begin with nothing and end with these rows. */
function stretch(hosts: Record<string, NetworkRow[]>, services: Sample["services"]) {
  const at = (time: number, rowsOf: (rows: NetworkRow[]) => NetworkRow[]) =>
    sample(time, { services, hosts: new Map(Object.entries(hosts).map(([host, rows]) => [host, reading(time, rowsOf(rows))])) });
  const before = at(0, () => []);
  const after = at(2_000, (rows) => rows);
  return measure(before, after, PLACE);
}

/** `from to`: packets sent and measured, a second. */
function packets({ stats }: ReturnType<typeof stretch>): Record<string, number[]> {
  return Object.fromEntries(
    stats.links.map(({ from_host, to_host, packets_s, measured_packets_s }) => [
      `${from_host} ${to_host}`,
      [packets_s, measured_packets_s],
    ]),
  );
}

it("a service has its requests in one direction, its answers in the other, and the losses of both", () => {
  const measured = stretch({ a: [row("crossing", 200), row("answers", 150)], b: [row("arrived", 180), row("answered", 180)] }, [
    instance("b"),
  ]);
  expect(packets(measured)).toEqual({ "a b": [100, 90], "b a": [90, 75] });
  expect(measured.stats.links[0]?.children).toEqual([
    { kind: "service", name: "adder", packets_s: 100, bytes_s: 10_000, measured_packets_s: 90, measured_bytes_s: 9_000 },
  ]);
  expect(problemsOf({ ...NO_FINDINGS, stats: measured.stats, shortfalls: measured.shortfalls })).toMatchObject([
    {
      kind: "loss",
      host: "a",
      peer: "b",
      child: { kind: "service", name: "adder" },
      message: expect.stringMatching(/10\.0 % of the requests did not arrive \(200 sent, 180 received\).*look at/),
    },
  ]);
});

it("requests to instances on several hosts are spread by the number of instances, and are not counted as lost", () => {
  const services = [instance("b"), instance("b"), instance("b"), instance("c")];
  const measured = stretch({ a: [row("crossing", 400)], b: [row("arrived", 300)], c: [row("arrived", 10)] }, services);
  expect(packets(measured)).toMatchObject({ "a b": [150, 150], "a c": [50, 5] });
  expect(measured.shortfalls).toEqual([]);
});

it("requests of several hosts share the arrivals in proportion, and are not counted as lost", () => {
  const measured = stretch({ a: [row("crossing", 300)], b: [row("crossing", 100)], c: [row("arrived", 200)] }, [instance("c")]);
  expect(packets(measured)).toMatchObject({ "a c": [150, 75], "b c": [50, 25] });
  expect(measured.shortfalls).toEqual([]);
});

it("no link is shown for an instance on the sender's own host, for one that did not answer, or without requests", () => {
  expect(packets(stretch({ a: [row("crossing", 10)] }, [instance("a"), instance("lost")]))).toEqual({});
  expect(packets(stretch({ a: [], b: [row("arrived", 5)] }, [instance("b")]))).toEqual({});
});

it("calls of the manager itself are from its host, beside those of a program on another host", () => {
  const at = (time: number, count: number) =>
    sample(time, {
      services: [instance("b")],
      hub: reading(time, [row("crossing", 100 * count), row("answers", 90 * count)]),
      hosts: new Map([
        ["a", reading(time, [row("crossing", 300 * count), row("answers", 300 * count)])],
        ["b", reading(time, [row("arrived", 400 * count), row("answered", 400 * count)])],
      ]),
    });
  expect(packets(measure(at(0, 0), at(2_000, 1), PLACE))).toEqual({
    "bench b": [50, 50],
    "b bench": [50, 45],
    "a b": [150, 150],
    "b a": [150, 150],
  });
});
