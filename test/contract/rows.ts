import type { Fields, FieldType, Tables } from "./field-types.ts";

/** The rows of the tables, and the part of a feature in them: `contract.ts` in its folder of test/features. */

export interface ClientFrameRow {
  /** Fields besides `type`; any frame may carry a `request_id` too. */
  readonly fields: Fields;
  /** Type of the answering frame; null: none is shown, so `ack` answers a frame with a request_id. */
  readonly answer: string | null;
}

export const row = (fields: Fields, answer: string | null = null): ClientFrameRow => ({ fields, answer });

export interface ManagerFrameRow {
  /** Fields besides `type`; an answer also echoes `request_id`. */
  readonly fields: Fields;
  /**
   * For result frames, the fields that name what was asked: with `ok: false` these are there beside `code` and
   * `message`, and the others need not be.
   */
  readonly naming?: Fields;
}

export const event = (fields: Fields): ManagerFrameRow => ({ fields });
export const result = (naming: Fields, fields: Fields = {}): ManagerFrameRow => ({
  fields: { ok: "boolean", ...naming, ...fields },
  naming,
});

export interface RouteRow {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Query parameters. `flag`: counts with any value but `0` and `false`. */
  readonly query: Readonly<Record<string, FieldType | "flag">>;
  readonly status: number;
  /** Beginning of the Content-Type of a success; null where there is none. */
  readonly contentType: string | null;
  /** Whether a request without credentials is refused with 401. */
  readonly authenticated: boolean;
}

export const route = (
  [method, path]: [RouteRow["method"], string],
  query: RouteRow["query"],
  contentType: string | null,
  rest: Partial<Pick<RouteRow, "status" | "authenticated">> = {},
): RouteRow => ({ method, path, query, contentType, status: 200, authenticated: true, ...rest });

/** By frame, values of fields. */
type FieldValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface FeatureContract {
  readonly clientFrames?: Readonly<Record<string, ClientFrameRow>>;
  /** Objects inside client frames. */
  readonly clientFrameParts?: Tables;
  readonly managerFrames?: Readonly<Record<string, ManagerFrameRow>>;
  readonly resources?: Tables;
  /** Resources that need what the live test of the tables does not have, such as a core dump; tests of the feature make them. */
  readonly seenElsewhere?: readonly string[];
  /** Fields of a snapshot. */
  readonly snapshot?: Fields;
  /** By client frame, values that a field takes where an example of its type is refused. */
  readonly taken?: FieldValues;
  /** By manager frame, values of fields that the documents name without a type. */
  readonly untyped?: FieldValues;
  readonly routes?: readonly RouteRow[];
  /** Bodies of its routes. */
  readonly routeBodies?: Tables;
}

/** The tables of one kind as one table. */
export const merged = <T>(tables: readonly (Readonly<Record<string, T>> | undefined)[]): Readonly<Record<string, T>> =>
  Object.assign({}, ...tables);
