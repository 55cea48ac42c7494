import type { Grant, Owners } from "../../../base/access/access.ts";
import type { AnswerOf, FrameOf } from "../../../protocol/frames/frames.ts";
import { fullName } from "../../data-plane/parameter-name.ts";
import type { PresetFailure } from "../wire.ts";

type Ok<T> = Extract<T, { ok: true }>;
type Body<T> = Omit<Ok<T>, "type" | "request_id" | "ok" | "name" | "message">;

/** Grants of a user with roles on some processes; null: the user sees everything. */
export type Sight = readonly Grant[] | null;
export type SaveRequest = Pick<FrameOf<"save_preset">, "name" | "description" | "pattern" | "parameters" | "all" | "replace">;
export type LoadRequest = Pick<FrameOf<"load_preset">, "name" | "partial">;

/**
 * Presets of parameters in files beside the configuration. Rejections are MgrError: `not_found`, `conflict` (a file that cannot be used, or a preset
 * that cannot be loaded completely), `forbidden`, `too_large`.
 */
export interface Presets {
  list(grants: Sight): Promise<Pick<AnswerOf<"request_presets">, "folder" | "presets">>;
  show(name: string, grants: Sight): Promise<Body<AnswerOf<"request_preset">>>;
  /** Compares with the overrides now, or with another preset. */
  compare(name: string, other: string | null, grants: Sight): Promise<Body<AnswerOf<"compare_preset">>>;
  save(request: SaveRequest, by: string): Promise<Body<AnswerOf<"save_preset">>>;
  /** Sets all values or none, or those that can be set. `grants` are those of the user. */
  load(request: LoadRequest, by: { readonly user: string; readonly grants: readonly Grant[] }): Promise<Body<AnswerOf<"load_preset">>>;
  remove(name: string, by: string): Promise<void>;
  /** The processes that have parameters of a preset; null: it needs the role on everything. */
  ownersOf(name: string): Owners;
}

/** A value that could not be set, for a sentence. */
export const failureText = ({ service, parameter, message }: PresetFailure): string =>
  `'${fullName({ service, name: parameter })}': ${message}`;
