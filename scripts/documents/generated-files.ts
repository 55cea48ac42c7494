import { configJsonSchema } from "../../src/config/schema/schema.ts";
import { protocolJsonSchema } from "../../src/protocol/frames/json-schema.ts";
import { commandLineDocument } from "./command-line-document.ts";
import { configKeysDocument } from "./config-keys-document.ts";
import { frameNeeds } from "./frame-needs.ts";
import { architectureDocument } from "./import-graph.ts";
import { manPages } from "./man-pages.ts";
import { protocolDocument } from "./protocol-document.ts";

/** Every generated file: its path from the root of the repository, and what it has to contain. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/architecture.md", architectureDocument()],
    ["docs/protocol.md", protocolDocument()],
    ["docs/config-keys.md", configKeysDocument()],
    ["docs/command-line.md", commandLineDocument()],
    ...manPages(),
    ["docs/protocol.schema.json", json(protocolJsonSchema())],
    ["docs/config.schema.json", json(configJsonSchema())],
    ["web/src/state/frame-needs.json", json(frameNeeds())],
  ]);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
