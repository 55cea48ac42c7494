import { z } from "zod";
import { didYouMean } from "../../base/text/suggest.ts";
import { Expanded, withPlainText } from "./expanded.ts";
import { describeValue, type Finding, type KeyPath } from "./problems.ts";

/**
 * The building blocks of the configuration's schema: zod schemas whose errors are sentences that say what is allowed and what was found. They
 * continue after a wrong value, so that all problems are reported at once, and keep names like `__proto__` and the order of names (both would be
 * lost in plain objects). Each carries its own JSON Schema.
 */
type Json = Record<string, unknown>;

/** The reason for refusing a value, if "must be <allowed>" does not say it. */
export class Refusal {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/**
 * A schema that reads a value by a function, in one object: `z.custom().transform()` has three, and `meta` copies the last of them. The
 * configuration has hundreds of values, and their schemas stay in memory.
 */
const Reading = z.core.$constructor<z.ZodTransform>("Reading", (schema, definition) => {
  z.ZodType.init(schema, definition);
  schema._zod.parse = (payload) => {
    payload.value = definition.transform(payload.value, payload);
    return payload;
  };
  // The facts that are registered with it are all of its JSON Schema.
  schema._zod.processJSONSchema = () => {};
});

function reading<In, Out>(facts: Json, read: (value: unknown, context: Context) => Out) {
  return withFacts(new Reading({ type: "transform", transform: read }) as z.ZodTransform<Out, In>, facts);
}

/** Adds facts to a schema that has just been built and is used nowhere else: `meta` would copy it, and keep both. */
function withFacts<Schema extends z.ZodType>(schema: Schema, facts: Json): Schema {
  z.globalRegistry.add(schema as z.ZodType, facts);
  return schema;
}

/** A single value. `read` returns undefined, or a Refusal, for values that are not `allowed` ("must be <allowed>"). */
export function leaf<In, Out>(allowed: string, json: Json, read: (value: unknown) => Out | Refusal | undefined) {
  return reading<In, Out>({ ...json, allowed }, (value, context): Out => {
    const result = value === undefined ? undefined : value instanceof Expanded ? readExpanded(value, read) : read(value);
    if (result !== undefined && !(result instanceof Refusal)) return result as Out;
    const message = result instanceof Refusal ? result.message : `must be ${allowed}, found ${describeValue(value)}`;
    report(context, { path: [], message: value === undefined ? `is missing; it must be ${allowed}` : message, at: at(value) });
    return z.NEVER;
  });
}

/** A key that may be omitted, with the sentence that documents it. */
export function described<Value extends z.ZodType>(description: string, value: Value) {
  return withFacts(value.exactOptional(), { description });
}

/** A key whose value is `written` if it is omitted. `{}` in the sentence stands for that value. */
export function defaulted<Value extends z.ZodType>(sentence: string, value: Value, written: z.input<Value>) {
  const text = typeof written === "string" ? written : JSON.stringify(written);
  const optional = z.prefault(value, written as z.core.util.NoUndefined<z.input<Value>>);
  return withFacts(optional, { description: sentence.replace("{}", text) });
}

/** A key that is null if it is omitted. */
export function orNull<Value extends z.ZodType>(description: string, value: Value) {
  const nullable = value as z.ZodType<z.output<Value> | null, z.input<Value>>;
  return withFacts(
    nullable.default(() => null),
    { description },
  );
}

/** Reads the expanded text, else the value that YAML would read in its place. */
function readExpanded<Out>({ text, scalar }: Expanded, read: (value: unknown) => Out | Refusal | undefined): Out | Refusal | undefined {
  const result = read(text);
  if ((result !== undefined && !(result instanceof Refusal)) || scalar === text) return result;
  const retyped = read(scalar);
  return retyped === undefined || retyped instanceof Refusal ? (result ?? retyped) : retyped;
}

interface SectionOptions {
  /** Description of the section, for "must be a mapping …". */
  allowed?: string;
  json?: Json;
  /** Checks between keys, on the values as in the file; runs also when single keys are wrong. */
  check?: (values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void) => void;
}

type Output<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** A mapping with fixed keys. Keys beginning `x-` are ignored, other unknown ones refused; an empty value is an empty mapping. */
export function section<Shape extends z.ZodRawShape>(shape: Shape, options: SectionOptions = {}) {
  return mapping<Shape, Output<Shape>>(shape, options, ({ optout }) => optout === "optional");
}

/** A section of which several are merged: omitted keys get no default yet. */
export function layer<Shape extends z.ZodRawShape>(shape: Shape, options: SectionOptions = {}) {
  return mapping<Shape, Partial<Output<Shape>>>(shape, options, ({ optin }) => optin !== undefined);
}

/** Values of keys that no layer has. */
export function defaultsOf<Shape extends z.ZodRawShape>(shape: Shape): Output<Shape> {
  return section(shape).parse({});
}

function mapping<Shape extends z.ZodRawShape, Result>(
  shape: Shape,
  options: SectionOptions,
  isLeftOut: (part: z.core.$ZodTypeInternals) => boolean,
) {
  let built: z.ZodObject<Shape> | null = null;
  const object = () => (built ??= z.object(shape));
  const keys = Object.keys(shape);
  const parts = Object.entries(shape).map(([key, part]) => ({ key, part: part as z.ZodType, isOptional: isLeftOut(part._zod) }));
  return reading<z.input<z.ZodObject<Shape>> | null, Result>(
    {
      type: ["object", "null"],
      get properties() {
        return (jsonSchemaOf(object()) as { properties: Json }).properties;
      },
      get required() {
        return (jsonSchemaOf(object()) as { required?: string[] }).required ?? [];
      },
      patternProperties: { "^x-": true },
      additionalProperties: false,
      ...options.json,
    },
    (value, context): Result => {
      const values = settingsOf(value);
      if (values === undefined) {
        report(context, {
          path: [],
          message: wrongKind(options.allowed ?? `a mapping with the keys ${keys.join(", ")}`, value),
          at: at(value),
        });
        return z.NEVER;
      }
      for (const key of values.keys()) {
        if (!Object.hasOwn(shape, key) && !key.startsWith("x-"))
          report(context, { path: [key], message: unknownKey(key, keys), at: "key" });
      }
      options.check?.(withPlainText(values) as ReadonlyMap<string, unknown>, (finding) => report(context, finding));
      // Not parsed by `object`: zod would also check each optional key that is omitted, and discard the errors. A process has some fifty such keys.
      const output: Record<string, unknown> = {};
      for (const { key, part, isOptional } of parts)
        if (values.has(key) || !isOptional) output[key] = delegate(part, values.get(key), context, [key]);
      return output as Result;
    },
  );
}

/** A mapping from names that the user chooses, in their order. `nameProblem` ends the sentence "the name '…' …". */
export function namedMap<Value extends z.ZodType>(
  allowed: string,
  value: Value,
  nameProblem: (name: string) => string | null,
  json: Json = {},
) {
  return reading<
    Readonly<Record<string, z.input<Value>>> | ReadonlyMap<string, z.input<Value>> | null,
    ReadonlyMap<string, z.output<Value>>
  >(
    {
      type: ["object", "null"],
      get additionalProperties() {
        return jsonSchemaOf(value);
      },
      allowed,
      ...json,
    },
    (input, context) => {
      const values = entriesOf(input);
      if (values === undefined) {
        report(context, { path: [], message: wrongKind(allowed, input), at: at(input) });
        return z.NEVER;
      }
      const output = new Map<string, z.output<Value>>();
      for (const [name, item] of values) {
        const problem = nameProblem(name);
        if (problem !== null) report(context, { path: [name], message: `the name ${problem}`, at: "key" });
        output.set(name, delegate(value, item, context, [name]));
      }
      return output;
    },
  );
}

/** A list; an empty value is an empty list. */
export function listOf<Value extends z.ZodType>(what: string, value: Value, json: Json = {}) {
  return reading<readonly z.input<Value>[] | null, readonly z.output<Value>[]>(
    {
      type: ["array", "null"],
      get items() {
        return jsonSchemaOf(value);
      },
      allowed: `a list of ${what}`,
      ...json,
    },
    (input, context) => {
      if (input === null) return [];
      if (Array.isArray(input)) return input.map((item: unknown, index) => delegate(value, item, context, [index]));
      report(context, { path: [], message: wrongKind(`a list of ${what}`, input), at: at(input) });
      return z.NEVER;
    },
  );
}

/** One of two forms, distinguished by whether the value is a list, or by `isFirst`. */
export function listOr<List extends z.ZodType, Other extends z.ZodType>(
  list: List,
  other: Other,
  isFirst: (value: unknown) => boolean = Array.isArray,
) {
  return reading<z.input<List> | z.input<Other>, z.output<List> | z.output<Other>>(
    {
      get anyOf() {
        return [jsonSchemaOf(list), jsonSchemaOf(other)];
      },
    },
    (input, context) => (isFirst(input) ? delegate(list, input, context) : delegate(other, input, context)),
  );
}

// Cached: zod reads the descriptions of a schema several times, and each section needs those of its parts.
const jsonSchemas = new WeakMap<z.ZodType, Json>();

/** The JSON Schema of the values in the file, without `$schema`. */
export function jsonSchemaOf(schema: z.ZodType): Json {
  const known = jsonSchemas.get(schema);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
  jsonSchemas.set(schema, json);
  return json;
}

/** The entries of a mapping or null; undefined for anything else. Class instances are no mappings. */
export function entriesOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (value === null) return new Map();
  if (value instanceof Map) return value;
  if (typeof value !== "object" || Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? new Map(Object.entries(value ?? {})) : undefined;
}

/** The entries of a mapping with fixed keys. A value `undefined`, which only a program can write, means an omitted key. */
export function settingsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const entries = entriesOf(value);
  if (entries === undefined) return undefined;
  for (const item of entries.values()) if (item === undefined) return new Map([...entries].filter(([, each]) => each !== undefined));
  return entries;
}

/** The findings of a failed parse, with the path of each below the parsed value. */
export function findingsOf({ issues }: Pick<z.ZodError, "issues">): Finding[] {
  return issues.map((issue) => ({
    path: issue.path.map((key) => (typeof key === "symbol" ? String(key) : key)),
    message: issue.message,
    at: issue.code === "custom" && issue.params?.at === "key" ? "key" : "value",
  }));
}

type Context = z.core.ParsePayload;

const SYNCHRONOUS = { async: false };

function delegate<Value extends z.ZodType>(schema: Value, input: unknown, context: Context, below: KeyPath = []): z.output<Value> {
  // As `safeParse` does, without the objects that it makes for each value.
  const read = schema._zod.run({ value: input, issues: [] }, SYNCHRONOUS);
  if (read instanceof Promise) throw new z.core.$ZodAsyncError();
  if (read.issues.length === 0) return read.value as z.output<Value>;
  const issues = read.issues.map((issue) => z.core.util.finalizeIssue(issue, SYNCHRONOUS, z.core.config()));
  for (const finding of findingsOf({ issues })) report(context, { ...finding, path: [...below, ...finding.path] });
  return z.NEVER;
}

function report({ issues, value }: Context, finding: Finding): void {
  issues.push({ code: "custom", message: finding.message, path: [...finding.path], params: { at: finding.at ?? "value" }, input: value });
}

/** A missing or empty value has no place of its own: the key above it is shown. */
function at(value: unknown): "key" | "value" {
  return value === undefined || value === null ? "key" : "value";
}

function wrongKind(allowed: string, value: unknown): string {
  return value === undefined ? `is missing; it must be ${allowed}` : `must be ${allowed}, found ${describeValue(value)}`;
}

function unknownKey(key: string, keys: readonly string[]): string {
  const suggestion = didYouMean(key, keys);
  return suggestion === "" ? `unknown key; allowed are ${keys.join(", ")}` : `unknown key${suggestion}`;
}
