import type { Socket } from "node:net";
import { descriptorOf, getsockopt } from "./socket-options.ts";

const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/** `struct tcp_info` of Linux 4.6 and later up to the fields read here, which newer kernels only extend. */
const INFO_BYTES = 160;
const RTT = 68;
const TOTAL_RETRANS = 100;
const BYTES_ACKED = 120;
const BYTES_RECEIVED = 128;
const DATA_SEGS_IN = 152;
const DATA_SEGS_OUT = 156;

export interface TcpInfo {
  /** Bytes that the other side has acknowledged. */
  readonly sent: number;
  readonly received: number;
  readonly data_segments_out: number;
  readonly data_segments_in: number;
  /** Segments that were sent again. */
  readonly retransmits: number;
  readonly rtt_us: number;
}

const value = Buffer.alloc(INFO_BYTES);
const length = Buffer.alloc(4);

/** What the kernel knows of a TCP connection; null: it is gone, or no TCP connection. */
export function tcpInfo(socket: Socket): TcpInfo | null {
  const fd = descriptorOf(socket);
  length.writeUInt32LE(INFO_BYTES);
  if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, value, length) === -1 || length.readUInt32LE() < INFO_BYTES) return null;
  return {
    sent: Number(value.readBigUInt64LE(BYTES_ACKED)),
    received: Number(value.readBigUInt64LE(BYTES_RECEIVED)),
    data_segments_out: value.readUInt32LE(DATA_SEGS_OUT),
    data_segments_in: value.readUInt32LE(DATA_SEGS_IN),
    retransmits: value.readUInt32LE(TOTAL_RETRANS),
    rtt_us: value.readUInt32LE(RTT),
  };
}
