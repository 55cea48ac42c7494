import { MgrError } from "../../../base/errors.ts";

/** Numbers of the fields that are read: of FileDescriptorSet, FileDescriptorProto and DescriptorProto (google/protobuf/descriptor.proto). */
const SET_FILE = 1;
const FILE_PACKAGE = 2;
const FILE_MESSAGE = 4;
const MESSAGE_NAME = 1;
const MESSAGE_NESTED = 3;
/** Maximum depth of messages within messages that are found. */
const MAX_LEVELS = 32;

const WIRE_VARINT = 0;
const WIRE_64_BIT = 1;
const WIRE_BYTES = 2;
const WIRE_32_BIT = 5;

/** The full names of the messages in a FileDescriptorSet, such as `demo.ArmState`. Throws `bad_field` for other bytes. */
export function messagesOfDescriptors(bytes: Uint8Array): string[] {
  return [...byteFields(bytes)].filter(({ number }) => number === SET_FILE).flatMap(({ value }) => messagesOfFile(value));
}

function messagesOfFile(bytes: Uint8Array): string[] {
  const fields = [...byteFields(bytes)];
  const within = textOf(fields.findLast(({ number }) => number === FILE_PACKAGE)?.value);
  return fields.filter(({ number }) => number === FILE_MESSAGE).flatMap(({ value }) => messagesOf(value, within, MAX_LEVELS));
}

function messagesOf(bytes: Uint8Array, within: string, levels: number): string[] {
  if (levels === 0) return [];
  const fields = [...byteFields(bytes)];
  const own = textOf(fields.findLast(({ number }) => number === MESSAGE_NAME)?.value);
  const name = within === "" ? own : `${within}.${own}`;
  const nested = fields.filter(({ number }) => number === MESSAGE_NESTED);
  return [name, ...nested.flatMap(({ value }) => messagesOf(value, name, levels - 1))];
}

const textOf = (bytes: Uint8Array = new Uint8Array()): string => new TextDecoder().decode(bytes);

/** The fields of a message that hold bytes: text, and messages in it. */
function* byteFields(bytes: Uint8Array): Generator<{ readonly number: number; readonly value: Uint8Array }> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw notDescriptors();
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === WIRE_VARINT) varint();
    else if (type === WIRE_64_BIT) at += 8;
    else if (type === WIRE_32_BIT) at += 4;
    else if (type === WIRE_BYTES) {
      const size = varint();
      const value = bytes.subarray(at, at + size);
      if (value.length < size) throw notDescriptors();
      at += size;
      yield { number: Math.floor(tag / 8), value };
    } else throw notDescriptors();
  }
  if (at > bytes.length) throw notDescriptors();
}

function notDescriptors(): MgrError {
  return new MgrError(
    "bad_field",
    "the definition is not a FileDescriptorSet of Protocol Buffers: write one with protoc --include_imports --descriptor_set_out=FILE",
  );
}
