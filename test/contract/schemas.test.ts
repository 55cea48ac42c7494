import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../../src/base/errors.ts";
import { decodeFrame, MAX_FRAME_BYTES } from "../../src/protocol/frames/decode.ts";
import { CLIENT_FRAMES as CLIENT_SCHEMAS, MANAGER_FRAMES as MANAGER_SCHEMAS } from "../../src/protocol/frames/frames.ts";
import { LOG_LEVELS, PROCESS_STATES, REQUESTED_STATES } from "../../src/protocol/resources/resources.ts";
import { FEATURE_CONTRACTS } from "../features/contract.ts";
import { CLIENT_FRAMES } from "./client-frames.ts";
import * as closed from "./closed-values.ts";
import { exampleOfFields, TAKEN, wrongValuesOf } from "./examples.ts";
import type { FieldType } from "./field-types.ts";
import { MANAGER_FRAMES } from "./manager-frames.ts";
import { merged } from "./rows.ts";

// The tables were written apart from the schemas: where the two differ, one of them has misread the documents.

const isOptional = (type: FieldType) => typeof type === "object" && type.kind === "optional";

/** Values for fields that the documents name without a type, and for the one echo that is always there. */
const SHOWN = merged<Readonly<Record<string, unknown>>>([
  {
    ack: { request_id: 1 },
    process_detail: { environment: {}, history: [], changes: [], needed_by: [], definition: {} },
  },
  ...FEATURE_CONTRACTS.map(({ untyped }) => untyped),
]);

describe("client frames", () => {
  test("the schemas have the types of the tables, and no others", () => {
    expect(Object.keys(CLIENT_SCHEMAS).sort()).toEqual(Object.keys(CLIENT_FRAMES).sort());
  });

  test.each(Object.entries(CLIENT_FRAMES))("%s: fields and answer are those of the table", (type, { fields, answer }) => {
    const schema = CLIENT_SCHEMAS[type as keyof typeof CLIENT_SCHEMAS];
    expect(Object.keys(schema.fields).sort()).toEqual(Object.keys(fields).sort());
    expect(schema.answer).toBe(answer);
  });

  test.each(Object.entries(CLIENT_FRAMES))(
    "%s: an example is taken, with unknown keys; each wrong field is one refusal",
    (type, { fields }) => {
      const example = { type, ...exampleOfFields(fields), ...TAKEN[type] };
      expect(decode({ ...example, unheard_of: {}, request_id: 1 })).toMatchObject({ ok: true, frame: example, request_id: 1 });
      for (const [field, of] of Object.entries(fields)) {
        const { [field]: _left, ...rest } = example as Record<string, unknown>;
        if (isOptional(of)) expect(decode(rest), `without ${field}`).toMatchObject({ ok: true });
        else if (of !== "anything") expect(decode(rest), `without ${field}`).toMatchObject({ ok: false, error: { code: "bad_field" } });
        for (const wrong of wrongValuesOf(of)) {
          const refused = decode({ ...example, [field]: wrong, request_id: "r" });
          expect(refused, `${field}: ${JSON.stringify(wrong)}`).toMatchObject({ ok: false, error: { code: "bad_field", request_id: "r" } });
        }
      }
    },
  );
});

describe("manager frames", () => {
  test("the schemas have the types of the tables, and no others", () => {
    expect(Object.keys(MANAGER_SCHEMAS).sort()).toEqual(Object.keys(MANAGER_FRAMES).sort());
  });

  test.each(Object.entries(MANAGER_FRAMES))(
    "%s: values that the table allows conform to the schema, field by field",
    (type, { fields }) => {
      const { schema } = MANAGER_SCHEMAS[type as keyof typeof MANAGER_SCHEMAS];
      const example = { type, ...exampleOfFields(fields), ...SHOWN[type] };
      // A schema drops keys that it does not know: what comes out equal was known, in every nested object.
      const read = schema.safeParse(example);
      expect(read.error?.issues ?? []).toEqual([]);
      expect(read.data).toEqual(example);
      for (const [field, of] of Object.entries(fields)) {
        const { [field]: _left, ...rest } = example as Record<string, unknown>;
        if (of !== "anything") expect(schema.safeParse(rest).success, `without ${field}`).toBe(isOptional(of));
        for (const wrong of wrongValuesOf(of)) {
          expect(schema.safeParse({ ...example, [field]: wrong }).success, `${field}: ${JSON.stringify(wrong)}`).toBe(false);
        }
      }
    },
  );
});

describe("closed lists", () => {
  test("are the same in the program and in the documents", () => {
    expect([...ERROR_CODES].sort()).toEqual([...closed.ERROR_CODES].sort());
    expect([...PROCESS_STATES].sort()).toEqual([...closed.STATES].sort());
    expect([...REQUESTED_STATES].sort()).toEqual([...closed.REQUESTED_STATES].sort());
    expect([...LOG_LEVELS]).toEqual(closed.LOG_LEVELS);
    expect(MAX_FRAME_BYTES).toBe(closed.MAX_FRAME_BYTES);
  });

  test("a request_id is a string of 1 to 64 characters or a safe integer", () => {
    const ask = (request_id: unknown) => decode({ type: "get_snapshot", request_id }).ok;
    for (const good of ["x", "x".repeat(closed.MAX_REQUEST_ID_CHARACTERS), 0, -1, Number.MAX_SAFE_INTEGER])
      expect(ask(good), String(good)).toBe(true);
    for (const bad of ["", "x".repeat(closed.MAX_REQUEST_ID_CHARACTERS + 1), 1.5, 2 ** 53, null, true, [], {}])
      expect(ask(bad), JSON.stringify(bad)).toBe(false);
  });
});

function decode(frame: object) {
  return decodeFrame(JSON.stringify(frame));
}
