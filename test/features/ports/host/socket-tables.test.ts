import { endianness } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSocket } from "../../../../src/features/ports/host/socket-tables.ts";

/** An address as this kernel would write it. */
function hexOf(bytes: readonly number[]): string {
  const words = Buffer.from(bytes);
  if (endianness() === "LE") words.swap32();
  return words.toString("hex").toUpperCase();
}

const lineOf = (bytes: readonly number[], port: number, state: string) =>
  `   0: ${hexOf(bytes)}:${port.toString(16).toUpperCase().padStart(4, "0")} ${hexOf(bytes.map(() => 0))}:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0`;

const byte = fc.integer({ min: 0, max: 255 });
const ports = fc.integer({ min: 1, max: 65_535 });

test("every IPv4 address and port of a listening socket is read", () => {
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), ports, (bytes, port) => {
      expect(parseSocket(lineOf(bytes, port, "0A"), "tcp")).toEqual({ protocol: "tcp", address: bytes.join("."), port, inode: "4711" });
    }),
  );
});

test("every IPv6 address is read, and one that contains an IPv4 address is that", () => {
  fc.assert(
    fc.property(fc.array(byte, { minLength: 16, maxLength: 16 }), ports, (bytes, port) => {
      const socket = parseSocket(lineOf(bytes, port, "07"), "udp");
      const groups = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) * 256 + (bytes[2 * index + 1] ?? 0)).toString(16));
      expect(socket).toMatchObject({ protocol: "udp", port });
      const address = socket === null || socket === "other" ? "" : socket.address;
      expect(new URL(`http://[${address}]`).hostname).toBe(new URL(`http://[${groups.join(":")}]`).hostname);
    }),
  );
  const mapped = [...Array(10).fill(0), 0xff, 0xff, 127, 0, 0, 1];
  expect(parseSocket(lineOf(mapped, 80, "0A"), "tcp")).toMatchObject({ address: "127.0.0.1" });
  expect(parseSocket(lineOf(Array(16).fill(0), 80, "0A"), "tcp")).toMatchObject({ address: "::" });
});

test("connections are no ports, and other lines are nothing", () => {
  expect(parseSocket(lineOf([10, 0, 0, 1], 80, "01"), "tcp")).toBe("other");
  expect(parseSocket(lineOf([10, 0, 0, 1], 80, "01"), "udp")).toBe("other");
  for (const line of ["", "  sl  local_address rem_address   st tx_queue", "0: zz:0050 0:0 0A", "\u0000"])
    expect(parseSocket(line, "tcp")).toBeNull();
});
