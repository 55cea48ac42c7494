import { expect, test } from "vitest";
import { type PortSurroundings, portLink } from "../../../../web/src/features/ports/port-link.ts";
import { PORT } from "../fake-ports.ts";

const robot: PortSurroundings = { names: ["rt1", "robot", "10.0.0.7"], isManagers: false, pageHost: "bench.example" };
const own: PortSurroundings = { names: ["bench", "localhost"], isManagers: true, pageHost: "bench.example" };

test("a port leads to the machine of its process: by the name in the page's address, or the host's address", () => {
  expect(portLink(PORT, own)).toEqual({ href: "http://bench.example:8080/" });
  expect(portLink({ ...PORT, address: "::" }, robot)).toEqual({ href: "http://10.0.0.7:8080/" });
  expect(portLink(PORT, { ...robot, names: ["rt1"] })).toEqual({ href: "http://rt1:8080/" });
  expect(portLink(PORT, { ...robot, names: ["rt1", "fd00::7"] })).toEqual({ href: "http://[fd00::7]:8080/" });
  expect(portLink({ ...PORT, address: "192.168.1.5" }, robot)).toEqual({ href: "http://192.168.1.5:8080/" });
  expect(portLink(PORT, { ...own, pageHost: "[::1]" })).toEqual({ href: "http://[::1]:8080/" });
});

test("what this browser cannot open has a reason: a loopback address of another machine, UDP, another network namespace", () => {
  const loopback = { ...PORT, address: "127.0.0.1" };
  expect(portLink(loopback, robot)).toEqual({ reason: "only on rt1 itself" });
  expect(portLink(loopback, own)).toEqual({ reason: "only on bench itself" });
  expect(portLink(loopback, { ...own, pageHost: "localhost" })).toEqual({ href: "http://127.0.0.1:8080/" });
  expect(portLink({ ...PORT, protocol: "udp" }, own)).toEqual({ reason: "UDP" });
  expect(portLink({ ...PORT, own_network: true }, own)).toEqual({ reason: "in a network namespace of its own" });
});
