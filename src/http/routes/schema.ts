import { protocolJsonSchema } from "../../protocol/frames/json-schema.ts";
import type { Route } from "../route.ts";

/** `GET /mgr/schema`: the JSON Schema of all frames. */
export function schemaRoute(): Route {
  let text: string | null = null;
  return {
    path: "/mgr/schema",
    method: "GET",
    handle() {
      text ??= JSON.stringify(protocolJsonSchema());
      return new Response(text, { headers: { "Content-Type": "application/json", "Cache-Control": "no-cache" } });
    },
  };
}
