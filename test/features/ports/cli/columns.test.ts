import { expect, test } from "vitest";
import { portColumns, portsText } from "../../../../src/features/ports/cli/columns.ts";
import { portText } from "../../../../src/features/ports/port-text.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { PORT, PORTS } from "../fake-ports.ts";

const runs = (name: string, pid: number | null = 4_711) => ({ name, pid }) as Process;

test("ports of all addresses are their numbers, others have their address, and those of UDP say so", () => {
  expect(portText(PORT)).toBe("8080");
  expect(portText({ ...PORT, address: "fe80::1" })).toBe("[fe80::1]:8080");
  expect(portsText({ pid: 1 }, PORTS)).toBe("8080 127.0.0.1:5432 5353/udp");
  // A program that listens on IPv4 and on IPv6 has one port for its users.
  expect(portsText({ pid: 1 }, { complete: true, ports: [PORT, { ...PORT, address: "::" }] })).toBe("8080");
  expect(portsText({ pid: 1 }, { complete: true, ports: [] })).toBe("-");
});

test("ports that are not known are a question mark, in JSON null", async () => {
  expect(portsText({ pid: 1 }, { complete: false, ports: [PORT] })).toBe("8080 ?");
  const client = { request: async () => ({ type: "ports", processes: [PORTS], away: [] }) as never };
  const { columns, json } = await portColumns(client);
  expect(
    columns.map(({ text }) => ["sim/world", "away", "stopped"].map((name) => text(runs(name, name === "stopped" ? null : 1)))),
  ).toEqual([["8080 127.0.0.1:5432 5353/udp", "?", "-"]]);
  expect(json(runs("sim/world"))).toEqual({ ports: PORTS.ports, ports_complete: true });
  expect(json(runs("away"))).toEqual({ ports: null, ports_complete: false });
  const failing = await portColumns({ request: () => Promise.reject(new Error("the host is slow")) });
  expect(failing.columns[0]?.text(runs("sim/world"))).toBe("?");
});
