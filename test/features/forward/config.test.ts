import { describe, expect, test } from "vitest";
import { parseConfigText } from "../../../src/config/load/load.ts";
import { includesPort } from "../../../src/features/forward/port-ranges.ts";

const parsed = (text: string) => parseConfigText(`instance: {name: t, manager: ":0"}\n${text}\n`, "mgr.yaml");
const HOSTS = "hosts: {arm: {aliases: [10.0.0.2]}}\nnodes: {vision: arm}\n";

describe("the key forward", () => {
  test("has ports and ranges by any name of a host", () => {
    const { forward } = parsed(`${HOSTS}forward: {localhost: [5432, "8000-8010"], 10.0.0.2: [22], vision: []}`);
    const ranges = forward.get("localhost") ?? [];
    expect([5_431, 5_432, 5_433, 7_999, 8_000, 8_010, 8_011].filter((port) => includesPort(ranges, port))).toEqual([5_432, 8_000, 8_010]);
    expect([...forward.keys()]).toEqual(["localhost", "10.0.0.2", "vision"]);
  });

  test("is empty by default", () => {
    expect(parsed("processes: {}").forward.size).toBe(0);
  });

  test.each(["0", "65536", "8010-8000", "http", "80-", "-1", "1.5"])("refuses the port %s", (port) => {
    expect(() => parsed(`forward: {localhost: [${port}]}`)).toThrow(/a port such as 5432, or a range such as 8000-8010/);
  });

  test("refuses a host that does not exist, and suggests a name", () => {
    expect(() => parsed(`${HOSTS}forward: {amr: [22]}`)).toThrow(/there is no host 'amr'.*arm.*use 'localhost'/s);
  });
});
