/** Binary messages to viewers; integers are little-endian, by the specification of the Foxglove WebSocket protocol. */

const MESSAGE_DATA = 1;
const TIME = 2;
const SERVICE_CALL_RESPONSE = 3;
const JSON_ENCODING = Buffer.from("json");

/** `time` is in nanoseconds since 1970. */
export function messageData(subscriptionId: number, time: bigint, data: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(13 + data.length);
  bytes[0] = MESSAGE_DATA;
  bytes.writeUInt32LE(subscriptionId, 1);
  bytes.writeBigUInt64LE(time, 5);
  bytes.set(data, 13);
  return bytes;
}

export function timeMessage(time: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = TIME;
  bytes.writeBigUInt64LE(time, 1);
  return bytes;
}

export function callResponse(serviceId: number, callId: number, value: unknown): Buffer {
  const header = Buffer.allocUnsafe(13);
  header[0] = SERVICE_CALL_RESPONSE;
  header.writeUInt32LE(serviceId, 1);
  header.writeUInt32LE(callId, 5);
  header.writeUInt32LE(JSON_ENCODING.length, 9);
  return Buffer.concat([header, JSON_ENCODING, Buffer.from(JSON.stringify(value ?? null))]);
}
