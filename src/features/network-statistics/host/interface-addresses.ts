import { koffi, libc, systemError } from "../../../daemon/native/libc.ts";

const getifaddrs = libc.func("int getifaddrs(_Out_ void **list)") as (list: unknown[]) => number;
const freeifaddrs = libc.func("void freeifaddrs(void *list)") as (list: unknown) => void;
const inet_ntop = libc.func("const char *inet_ntop(int family, const void *address, void *text, uint32_t size)") as (
  family: number,
  address: Uint8Array,
  text: Buffer,
  size: number,
) => string | null;

/** The beginning of the C library's `struct ifaddrs`. */
interface Entry {
  readonly next: unknown;
  readonly name: string;
  readonly flags: number;
  readonly address: unknown;
  readonly netmask: unknown;
}
const ENTRY = koffi.struct("ifaddrs", { next: "void *", name: "char *", flags: "uint32_t", address: "void *", netmask: "void *" });
/** The part that is read of any kind of `struct sockaddr`: the C library keeps at least 28 bytes for each. */
const SOCKADDR = koffi.array("uint8_t", 24, "Typed");

const IFF_UP = 0x1;
const IFF_RUNNING = 0x40;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_PACKET = 17;
/** Offsets in `struct sockaddr_ll`: the interface's index, the length of its hardware address, and that address. */
const [LL_INDEX, LL_LENGTH, LL_ADDRESS] = [4, 11, 12];
/** Offset and length of the address in `struct sockaddr_in` and `sockaddr_in6`. */
const PLACES = new Map([
  [AF_INET, { offset: 4, bytes: 4 }],
  [AF_INET6, { offset: 8, bytes: 16 }],
]);
const MAX_TEXT_BYTES = 46;

export interface InterfaceAddresses {
  /** The kernel's index of the interface. */
  index: number;
  /** Whether the interface is up, and has a carrier if that can be known. */
  isRunning: boolean;
  /** Its hardware address, empty if it has none: as `/sys/class/net/<name>/address` has it. */
  hardware: string;
  /** Addresses with the length of the netmask, also of interfaces that are down, which Node leaves out. */
  readonly addresses: string[];
}

/** Interfaces of this process's network by name. Throws `internal` if the system does not list them. */
export function interfaceAddresses(): Map<string, InterfaceAddresses> {
  const list: unknown[] = [null];
  if (getifaddrs(list) === -1) throw systemError("getifaddrs");
  const found = new Map<string, InterfaceAddresses>();
  try {
    for (let place = list[0]; place; ) {
      const entry = koffi.decode(place, ENTRY) as Entry;
      place = entry.next;
      const own = found.get(entry.name) ?? { index: 0, isRunning: false, hardware: "", addresses: [] };
      found.set(entry.name, own);
      if (entry.address) learn(own, entry);
    }
  } finally {
    freeifaddrs(list[0]);
  }
  return found;
}

function learn(own: InterfaceAddresses, { flags, address, netmask }: Entry): void {
  const bytes = bytesAt(address);
  const family = bytes.readUInt16LE();
  if (family === AF_PACKET) {
    own.index = bytes.readInt32LE(LL_INDEX);
    own.isRunning = (flags & IFF_UP) !== 0 && (flags & IFF_RUNNING) !== 0;
    const hardware = bytes.subarray(LL_ADDRESS, LL_ADDRESS + bytes.readUInt8(LL_LENGTH));
    own.hardware = hardware.toString("hex").replace(/..(?=.)/g, "$&:");
    return;
  }
  const place = PLACES.get(family);
  if (place === undefined || !netmask) return;
  const part = (all: Buffer) => all.subarray(place.offset, place.offset + place.bytes);
  const text = inet_ntop(family, part(bytes), Buffer.alloc(MAX_TEXT_BYTES), MAX_TEXT_BYTES);
  own.addresses.push(`${text}/${ones(part(bytesAt(netmask)))}`);
}

function bytesAt(pointer: unknown): Buffer {
  const bytes = koffi.decode(pointer, SOCKADDR) as Uint8Array;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Number of bits that are set. */
function ones(bytes: Uint8Array): number {
  return [...bytes].reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
}
