export const TAR_BLOCK_BYTES = 512;
const NAME_BYTES = 100;
/** Maximum size in octal digits; larger sizes are binary numbers, as in GNU tar. */
const MAX_OCTAL_SIZE = 8 ** 11 - 1;

/**
 * The header of a file, with GNU tar's extra entry for a name over 100 bytes. Its length depends only on the name, so that it can be written after
 * the file's content. The package archiver is not used, because it needs the size in advance.
 */
export function tarHeader(name: string, size: number): Buffer {
  const bytes = Buffer.from(name);
  if (bytes.length <= NAME_BYTES) return block(bytes, size, "0");
  const whole = Buffer.concat([bytes, Buffer.alloc(1)]);
  return Buffer.concat([
    block(Buffer.from("././@LongLink"), whole.length, "L"),
    whole,
    tarPadding(whole.length),
    block(bytes.subarray(0, NAME_BYTES), size, "0"),
  ]);
}

export function tarPadding(size: number): Buffer {
  return Buffer.alloc((TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES);
}

function block(name: Uint8Array, size: number, type: string): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  header.set(name);
  header.write(["0000644", "0000000", "0000000", ""].join("\0"), 100, "latin1");
  if (size <= MAX_OCTAL_SIZE) header.write(`${octal(size)}\0`, 124, "latin1");
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write(`${octal(Math.floor(Date.now() / 1000))}\0`, 136, "latin1");
  header.fill(" ", 148, 156);
  header.write(type, 156, "latin1");
  header.write("ustar  \0", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

function octal(value: number): string {
  return value.toString(8).padStart(11, "0");
}
