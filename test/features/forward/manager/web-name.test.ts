import { expect, test } from "vitest";
import { domainFor, domainsOf, labelOf, parseWebName } from "../../../../src/features/forward/manager/web/web-name.ts";

const DOMAINS = domainsOf(["bench.lab", "*.Ports.example"]);

test("a Host header is the name of a port below localhost or a wildcard, and nothing else is", () => {
  expect(parseWebName("8080-bench.localhost:8130", DOMAINS)).toEqual({ port: 8080, host: "bench" });
  expect(parseWebName("8080-My-Bench.ports.EXAMPLE", DOMAINS)).toEqual({ port: 8080, host: "my-bench" });
  for (const name of [
    "localhost",
    "bench.localhost",
    "8080.localhost",
    "0-bench.localhost",
    "65536-bench.localhost",
    "8080-bench.bench.lab",
    "8080-bench.evil.example",
    "8080-bench.localhost.evil.example",
    "8080-bench.x.localhost",
    "x.8080-bench.localhost",
    "8080-bench.localhost.",
    "8080-bench-.localhost",
    "8080-bench.localhost:8130, 8080-bench.localhost",
  ])
    expect([name, parseWebName(name, DOMAINS)]).toEqual([name, null]);
});

test("the domain for a page is localhost if it was opened locally, else that of a wildcard", () => {
  for (const page of ["localhost:8130", "127.0.0.1:8130", "[::1]:8130", "mgr.localhost:8130"])
    expect([page, domainFor(page, DOMAINS)]).toEqual([page, "localhost:8130"]);
  expect(domainFor("bench.lab", DOMAINS)).toBe("ports.example");
  expect(domainFor("bench.lab:8130", DOMAINS)).toBe("ports.example:8130");
  expect(domainFor("a.other.example", ["ports.example", "other.example"])).toBe("other.example");
  for (const page of ["bench.lab:8130", "127.evil.example", "localhost.evil.example"])
    expect([page, domainFor(page, [])]).toEqual([page, null]);
});

test("a host whose name cannot be a part of a host name is named by another of its names", () => {
  expect(labelOf({ name: "Bench", all_names: ["Bench"] })).toBe("bench");
  expect(labelOf({ name: "rt_1", all_names: ["rt_1", "10.0.0.7", "robot"] })).toBe("robot");
  expect(labelOf({ name: "rt_1", all_names: ["rt_1", "fd00::7"] })).toBe(null);
  expect(labelOf({ name: "x".repeat(58), all_names: [] })).toBe(null);
});
