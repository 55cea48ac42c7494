import type { AnyErrorCode } from "../../../../base/errors.ts";
import type { ControlAction, PlayOptions, PlayState } from "../../contract.ts";

/** Messages between the host and the worker thread of one play. Plain data. */

export interface PlaySettings {
  /** Address of the host's broker, with a token. */
  readonly url: string;
  /** Name of the client on the bus. */
  readonly client: string;
  readonly paths: readonly string[];
  readonly options: PlayOptions;
}

export type PlayCommand =
  /** Answered by `begun` or `ended`. */
  | { readonly kind: "begin"; readonly leftOut: readonly { readonly name: string; readonly publisher: string }[] }
  | { readonly kind: "control"; readonly control: ControlAction };

export interface PlayError {
  readonly code: AnyErrorCode;
  readonly message: string;
}

export type PlayReply =
  /** `topics`: the names under which they will be published. */
  | { readonly kind: "opened"; readonly topics: readonly string[] }
  | { readonly kind: "begun"; readonly startMs: number; readonly topics: readonly string[]; readonly state: PlayState }
  | { readonly kind: "state"; readonly state: PlayState }
  /** The last message. `error`: why it could not begin, or ended early. */
  | { readonly kind: "ended"; readonly error: PlayError | null };
