import type { Socket } from "node:net";
import type { TcpInfo } from "../../bus/carriers/peer-traffic.ts";
import { descriptorOf } from "../../bus/carriers/socket-handle.ts";
import { getsockopt } from "./socket-options.ts";

const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/** Size of `struct tcp_info` in Linux 4.6 and later up to the fields that are needed, and in 4.18; newer kernels only extend it. */
const NEEDED_BYTES = 160;
const INFO_BYTES = 196;
const RTT = 68;
const TOTAL_RETRANS = 100;
const BYTES_ACKED = 120;
const BYTES_RECEIVED = 128;
const DATA_SEGS_IN = 152;
const DATA_SEGS_OUT = 156;
const DELIVERED = 192;

const value = Buffer.alloc(INFO_BYTES);
const length = Buffer.alloc(4);

/** Reads the kernel's counters of a TCP connection; null: it is closed, or not TCP. */
export function tcpInfo(socket: Socket): TcpInfo | null {
  const fd = descriptorOf(socket);
  length.writeUInt32LE(INFO_BYTES);
  if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, value, length) === -1 || length.readUInt32LE() < NEEDED_BYTES) return null;
  const [out, retransmits] = [value.readUInt32LE(DATA_SEGS_OUT), value.readUInt32LE(TOTAL_RETRANS)];
  // The kernel counts the handshake as one delivered segment.
  const delivered = length.readUInt32LE() < INFO_BYTES ? out - retransmits : value.readUInt32LE(DELIVERED) - 1;
  return {
    sent: Number(value.readBigUInt64LE(BYTES_ACKED)),
    received: Number(value.readBigUInt64LE(BYTES_RECEIVED)),
    data_segments_out: out,
    data_segments_delivered: Math.max(0, delivered),
    data_segments_in: value.readUInt32LE(DATA_SEGS_IN),
    retransmits,
    rtt_us: value.readUInt32LE(RTT),
  };
}
