/** The request of a client without a library for the WebSocket at `url`. */
export function upgradeRequest(url: URL, authorization: string): string {
  return (
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16, 7).toString("base64")}\r\n` +
    `${authorization === "" ? "" : `Authorization: ${authorization}\r\n`}\r\n`
  );
}

/** A client's text frame of at most 125 bytes, masked with zeros. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) throw new RangeError("the frame is too long");
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
