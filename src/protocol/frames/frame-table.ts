import { z } from "zod";
import type { Need } from "../../base/access/access.ts";
import { ERROR_CODES } from "../../base/errors.ts";
import { type RequestId, requestId } from "./field-kinds.ts";

/** The format of the tables of frames: one entry per type, from which schema, TypeScript type and documentation are derived. */

type Fields = Readonly<Record<string, z.ZodType>>;
/** Zod would infer an index signature from a shape without keys. */
type Values<F extends Fields> = keyof F extends never ? unknown : z.output<z.ZodObject<F>>;
type Flat<T> = { [K in keyof T]: T[K] } & {};

/**
 * The schema is `optional` but typed as exact optional: zod checks an absent exact optional field against its union, which costs more than
 * the rest of the frame. JSON has no `undefined`, so both accept the same frames.
 */
const echo = { request_id: requestId.optional() as unknown as z.ZodExactOptional<typeof requestId> };

/**
 * The subject of a frame, which decides whether a focused connection may send it: the process or group in `name`, output patterns, the log, the
 * connection itself, or the whole manager: of it what the sender may see (`seen`), an object that belongs to processes, as the frame's handler
 * says (`owned`), or everything.
 */
export type FrameScopeClass = "name" | "output" | "log" | "own" | "seen" | "owned" | "global";

export interface ClientFrameSpec {
  /** Fields in addition to `type` and `request_id`. */
  readonly fields: Fields;
  /** Type of the answer; null: `ack`, if the frame has a request_id. */
  readonly answer: string | null;
  readonly scope: FrameScopeClass;
  /** The role that its sender needs on the subject (docs/access.md): on everything for the whole manager. */
  readonly role: Need;
  /** Fields that need a higher role than the frame, if their value is not false or absent. */
  readonly fieldRoles?: Readonly<Record<string, Need>>;
  readonly meaning: string;
  /** Whether the frame changes nothing beyond its own connection, so that it is answered during a shutdown, too. */
  readonly readOnly?: boolean;
  /** Fields whose values must not be recorded: what users type, and texts that may hold secrets. */
  readonly secrets?: readonly string[];
  /** Checks a field that depends on another one: the invalid field and its error message, or null. */
  readonly check?: (values: Readonly<Record<string, unknown>>) => { field: string; says: string } | null;
  /** Constant fields of the answer, in successes and failures. */
  readonly constant?: Readonly<Record<string, string>>;
}

export type ClientFrameValue<T extends string, S extends ClientFrameSpec> = Flat<
  { type: T } & Values<S["fields"]> & { request_id?: RequestId }
>;

export type ClientFrameEntry<T extends string, S extends ClientFrameSpec> = S & {
  readonly domain: string;
  readonly schema: z.ZodType<ClientFrameValue<T, S>>;
};

export type ClientFrameTable<Specs extends Readonly<Record<string, ClientFrameSpec>>> = {
  readonly [T in keyof Specs & string]: ClientFrameEntry<T, Specs[T]>;
};

/**
 * Unknown keys of client frames are dropped; known ones are checked strictly (docs/design/wire-rules.md, "Conventions for every frame").
 */
export function clientFrames<const Specs extends Readonly<Record<string, ClientFrameSpec>>>(
  domain: string,
  specs: Specs,
): ClientFrameTable<Specs> {
  const entries = Object.entries(specs).map(([type, spec]) => [type, withSchema({ ...spec, domain }, () => clientSchema(type, spec))]);
  return Object.fromEntries(entries) as ClientFrameTable<Specs>;
}

function clientSchema(type: string, { fields, check, meaning }: ClientFrameSpec): z.ZodType {
  const schema = z.object({ type: z.literal(type), ...fields, ...echo });
  const checked = check
    ? schema.check(({ value, issues }) => {
        const wrong = check(value);
        if (wrong) issues.push({ code: "custom", path: [wrong.field], message: wrong.says, input: value });
      })
    : schema;
  return checked.register(z.globalRegistry, { description: meaning });
}

/** A frame that the manager sends by itself. */
export interface EventSpec<F extends Fields = Fields> {
  readonly kind: "event";
  readonly fields: F;
  readonly meaning: string;
}

/** An event that shows a change of the manager's state: every connection that has the object in view receives it. */
export interface ChangeSpec<F extends Fields = Fields> extends EventSpec<F> {
  /** A slow client receives only the newest of the queued frames with the same key; null: it receives every frame. */
  readonly mergeKey: ((frame: Values<F>) => string) | null;
  /** Name of the process that the change is about: connections that have it in view receive it; null: only those that have everything in view. */
  readonly processOf: ((frame: Values<F>) => string) | null;
}

/** A frame that answers, without `ok`: failures are `error` frames. */
export interface AnswerSpec<F extends Fields = Fields> {
  readonly kind: "answer";
  readonly fields: F;
  readonly meaning: string;
}

/** A frame that answers with `ok`. It always repeats the fields of the request in `naming`; it has `fields` only if `ok`. */
export interface ResultSpec<N extends Fields = Fields, F extends Fields = Fields> {
  readonly kind: "result";
  readonly naming: N;
  readonly fields: F;
  readonly meaning: string;
}

export type ManagerFrameSpec = EventSpec | AnswerSpec | ResultSpec;

export const event = <F extends Fields>(fields: F, meaning: string): EventSpec<F> => ({ kind: "event", fields, meaning });
export const change = <F extends Fields>(
  fields: F,
  meaning: string,
  mergeKey: ((frame: Values<F>) => string) | null = null,
  processOf: ((frame: Values<F>) => string) | null = null,
): ChangeSpec<F> => ({ kind: "event", fields, meaning, mergeKey, processOf });
export const answer = <F extends Fields>(fields: F, meaning: string): AnswerSpec<F> => ({ kind: "answer", fields, meaning });
export const result = <N extends Fields, F extends Fields>(naming: N, fields: F, meaning: string): ResultSpec<N, F> => ({
  kind: "result",
  naming,
  fields,
  meaning,
});

const succeeded = { ok: z.literal(true), message: z.string().exactOptional() };
export const errorCode = z.enum(ERROR_CODES).meta({ id: "ErrorCode", description: "The complete list of error codes." });
const failed = { ok: z.literal(false), code: errorCode, message: z.string().describe("A sentence for a person.") };

export type ManagerFrameValue<T extends string, S extends ManagerFrameSpec> =
  S extends ResultSpec<infer N, infer F>
    ?
        | Flat<{ type: T } & Values<typeof succeeded> & Values<N> & Values<F> & { request_id?: RequestId }>
        | Flat<{ type: T } & Values<typeof failed> & Values<N> & { request_id?: RequestId }>
    : S extends AnswerSpec<infer F>
      ? Flat<{ type: T } & Values<F> & { request_id?: RequestId }>
      : S extends EventSpec<infer F>
        ? Flat<{ type: T } & Values<F>>
        : never;

export type ManagerFrameEntry<T extends string, S extends ManagerFrameSpec> = S & {
  readonly domain: string;
  readonly schema: z.ZodType<ManagerFrameValue<T, S>>;
};

export type ManagerFrameTable<Specs extends Readonly<Record<string, ManagerFrameSpec>>> = {
  readonly [T in keyof Specs & string]: ManagerFrameEntry<T, Specs[T]>;
};

export function managerFrames<const Specs extends Readonly<Record<string, ManagerFrameSpec>>>(
  domain: string,
  specs: Specs,
): ManagerFrameTable<Specs> {
  const entries = Object.entries(specs).map(([type, spec]) => [
    type,
    withSchema({ ...spec, domain }, () => schemaOf(type, spec).register(z.globalRegistry, { description: spec.meaning })),
  ]);
  return Object.fromEntries(entries) as ManagerFrameTable<Specs>;
}

function schemaOf(type: string, spec: ManagerFrameSpec): z.ZodType {
  const head = { type: z.literal(type) };
  if (spec.kind === "event") return z.object({ ...head, ...spec.fields });
  if (spec.kind === "answer") return z.object({ ...head, ...spec.fields, ...echo });
  return z.discriminatedUnion("ok", [
    z.object({ ...head, ...succeeded, ...spec.naming, ...spec.fields, ...echo }),
    z.object({ ...head, ...failed, ...spec.naming, ...echo }),
  ]);
}

/**
 * Adds the schema of a frame, which is built when it is first read: a schema takes several KB, and a manager checks few of the types that clients
 * may send and none of its own.
 */
function withSchema<Entry extends object>(entry: Entry, build: () => z.ZodType): Entry & { readonly schema: z.ZodType } {
  let built: z.ZodType | null = null;
  return Object.defineProperty(entry, "schema", { enumerable: true, get: () => (built ??= build()) }) as Entry & {
    readonly schema: z.ZodType;
  };
}
