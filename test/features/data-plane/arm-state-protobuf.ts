import { create, createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary, toJson } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label, FieldDescriptorProto_Type, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** A FileDescriptorSet with the message `demo.ArmState` and `demo.ArmState.Joint` in it, as protoc writes it. */
export const ARM_STATE_DESCRIPTORS: Uint8Array = toBinary(
  FileDescriptorSetSchema,
  create(FileDescriptorSetSchema, {
    file: [
      {
        name: "arm.proto",
        package: "demo",
        syntax: "proto3",
        messageType: [
          {
            name: "ArmState",
            field: [
              {
                ...{ name: "position", jsonName: "position", number: 1 },
                type: FieldDescriptorProto_Type.DOUBLE,
                label: FieldDescriptorProto_Label.OPTIONAL,
              },
            ],
            nestedType: [{ name: "Joint" }],
          },
        ],
      },
    ],
  }),
);

/** Encodes a message by a FileDescriptorSet. */
export function protobufBytes(value: JsonValue, descriptors = ARM_STATE_DESCRIPTORS): Uint8Array {
  const message = messageOf(descriptors);
  return toBinary(message, fromJson(message, value));
}

/** Decodes a message by a FileDescriptorSet. */
export function protobufValue(data: Uint8Array, descriptors: Uint8Array): JsonValue {
  const message = messageOf(descriptors);
  return toJson(message, fromBinary(message, data));
}

function messageOf(descriptors: Uint8Array) {
  const message = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors)).getMessage("demo.ArmState");
  if (message === undefined) throw new Error("the descriptors have no demo.ArmState");
  return message;
}
