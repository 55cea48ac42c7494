import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Length of an IPv6 address, and of an IPv4 address, bits. */
const BITS_6 = 128;
const BITS_4 = 32;

/** `10.0.0.7/24` → `10.0.0.0/24`; null if it is not a valid address with a prefix. */
export function networkOf(cidr: string): string | null {
  const [address = "", length = ""] = cidr.split("/");
  const bits = isIPv4(address) ? BITS_4 : isIPv6(address) ? BITS_6 : 0;
  const prefix = Number(length);
  if (bits === 0 || !/^\d+$/.test(length) || prefix > bits) return null;
  const host = BigInt(bits - prefix);
  const number = (numberOf(address) >> host) << host;
  return `${bits === BITS_4 ? text4(number) : text6(number)}/${prefix}`;
}

/** Whether the address can be on a network with other hosts. */
export function isShared(cidr: string): boolean {
  const [address = ""] = cidr.split("/");
  return isIPv4(address) ? !/^(127|169\.254)\./.test(address) : address !== "::1" && !/^fe[89ab]/i.test(address);
}

/** Decides whether an address, with or without its prefix, is in one of some networks. */
export function containing(netmasks: readonly string[]): (cidr: string) => boolean {
  const list = new BlockList();
  for (const netmask of netmasks) {
    const [address = "", length = ""] = netmask.split("/");
    list.addSubnet(address, Number(length), isIPv4(address) ? "ipv4" : "ipv6");
  }
  return (cidr) => {
    const [address = ""] = cidr.split("/");
    return list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  };
}

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  // The URL parser converts a dotted IPv4 ending to hexadecimal groups.
  const plain = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [left = [], right] = plain.split("::").map((half) => half.split(":").filter((part) => part !== ""));
  const parts = right === undefined ? [...left] : [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return parts.reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}

function text4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 255n)).join(".");
}

function text6(number: bigint): string {
  const parts = Array.from({ length: 8 }, (_, index) => ((number >> BigInt(112 - 16 * index)) & 65_535n).toString(16));
  return new URL(`http://[${parts.join(":")}]`).hostname.slice(1, -1);
}
