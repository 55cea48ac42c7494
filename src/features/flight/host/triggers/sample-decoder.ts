import { parseJson } from "../../../../base/json.ts";
import type { TappedMessage } from "../../../data-plane/host/index.ts";
import { messageReader, parseMessageDefinition } from "../../../data-plane/samples/message-definition.ts";

type Decode = (payload: Uint8Array) => unknown;

const decodeJson: Decode = (payload) => parseJson(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString());

/** Decodes the samples of one topic, by the definition that they come with. */
export class SampleDecoder {
  #encoding = "";
  #definition = "";
  #decode: Decode | null = null;

  /** Throws `bad_field` for a sample, or a definition, that cannot be read. */
  decode({ encoding, definition, payload }: Pick<TappedMessage, "encoding" | "definition" | "payload">): unknown {
    if (this.#decode === null || encoding !== this.#encoding || definition !== this.#definition) {
      this.#decode =
        encoding === "cdr" ? messageReader(parseMessageDefinition(definition)) : encoding === "json" ? decodeJson : () => undefined;
      this.#encoding = encoding;
      this.#definition = definition;
    }
    return this.#decode(payload);
  }
}
