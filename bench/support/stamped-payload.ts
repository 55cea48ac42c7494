/** Size of a message, bytes. */
export const PAYLOAD_BYTES = 128;
const BEGIN = '{"t":"';
const TIME_DIGITS = 20;
const END = '","data":"';

/** A JSON message with the time of its publishing, nanoseconds of the machine's monotonic clock. */
export function stampedPayload(): string {
  const head = `${BEGIN}${process.hrtime.bigint().toString().padStart(TIME_DIGITS, "0")}${END}`;
  return `${head.padEnd(PAYLOAD_BYTES - 2, "x")}"}`;
}

/** Time since a message was published, milliseconds. `at`: where its payload begins. */
export function ageMs(frame: Buffer, at: number): number {
  const begin = at + BEGIN.length;
  return Number(process.hrtime.bigint() - BigInt(frame.toString("latin1", begin, begin + TIME_DIGITS))) / 1e6;
}
