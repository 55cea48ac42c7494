import { describe, expect, it } from "vitest";
import { FILE_KEYS, INSTANCE_KEYS, PROCESS_KEYS, SHARED_KEYS } from "../../src/config/features.ts";
import { loadConfigObject } from "../../src/config/load/load.ts";
import { configJsonSchema } from "../../src/config/schema/schema.ts";

type Json = {
  [key: string]: unknown;
  properties?: Record<string, Json>;
  additionalProperties?: Json | boolean;
  items?: Json;
  anyOf?: Json[];
  required?: string[];
};
const schema = configJsonSchema() as Json;

function keysOf(node: Json, path: string): [path: string, node: Json][] {
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([key, item]): [string, Json][] => [
      [`${path}${key}`, item],
      ...keysOf(item, `${path}${key}.`),
    ]),
    ...(typeof node.additionalProperties === "object" ? keysOf(node.additionalProperties, `${path}*.`) : []),
    ...(node.anyOf ?? []).flatMap((item) => (item.properties || item.additionalProperties ? keysOf(item, path) : [])),
  ];
}

describe("the JSON Schema of the configuration", () => {
  it("has every key of this version", () => {
    const keys = keysOf(schema, "").map(([path]) => path);
    expect(keys.filter((key) => !key.includes(".")).sort()).toEqual([
      ...[
        "access",
        "defaults",
        "defines",
        "groups",
        "hosts",
        "include",
        "instance",
        "nodes",
        "processes",
        "templates",
        ...Object.keys(FILE_KEYS),
      ].sort(),
    ]);
    expect(Object.keys(schema.properties?.instance?.properties ?? {})).toEqual([
      "name",
      "manager",
      "webui_auth_file",
      "webui_https_cert_file",
      "webui_https_key_file",
      "https_only",
      "allowed_hosts",
      "allowed_origins",
      "bus_listen",
      "bus",
      "bus_credentials_file",
      "bus_ca_file",
      "bus_cert_file",
      "bus_key_file",
      "bus_leafnode_url",
      "bus_max_payload",
      "bus_memory",
      "state_dir",
      ...Object.keys(INSTANCE_KEYS),
      "retained_log_entries",
      "on_manager_lost",
      "manager_lost_after",
      "start_tools",
    ]);
    const shared = [
      "cwd",
      "environment",
      "pass_environment",
      "env_file",
      "shell",
      "user",
      "umask",
      "limits",
      "scheduling",
      "terminal",
      "ready_timeout",
      "restart",
      "stop",
      "success_exit_codes",
      "autostart",
      "essential",
      "confirm",
      "watch",
      "log_file",
      "output_on_disk",
      "start_tool",
      ...Object.keys(SHARED_KEYS),
    ];
    expect(Object.keys(schema.properties?.defaults?.properties ?? {}).sort()).toEqual([...shared].sort());
    const ofFeatures = Object.keys(PROCESS_KEYS).filter((key) => !shared.includes(key));
    const own = ["command", "extends", "node", "alternate_commands", "ready", "alive", "depends_on", ...ofFeatures];
    expect(
      keys
        .filter((key) => /^processes\.\*\.[^.]+$/.test(key))
        .map((key) => key.slice(12))
        .sort(),
    ).toEqual([...own, ...shared].sort());
    expect(keys).toContain("processes.*.depends_on.*.condition");
    expect(keys).toContain("processes.*.restart.max_restarts");
  });

  it("describes every key in a sentence, and allows only what it describes", () => {
    for (const [path, node] of keysOf(schema, "")) expect(node.description, path).toMatch(/^[A-Z].{10,}[.\]_-]$/);
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      additionalProperties: false,
      required: ["instance"],
    });
    expect(schema.properties?.instance?.required).toEqual(["name", "manager"]);
    expect(schema.properties?.processes?.additionalProperties).toMatchObject({
      anyOf: [{ required: ["command"] }, { required: ["extends"] }],
    });
    expect(schema.patternProperties).toEqual({ "^x-": true });
  });

  it("is plain JSON without references", () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect(JSON.stringify(schema)).not.toContain("$ref");
  });

  it("matches the types for embedding programs", () => {
    // @ts-expect-error: an unknown key is refused by the compiler, too
    expect(() => loadConfigObject({ processes: { a: { command: "x", comand: "y" } } }, { base_dir: "/", state_dir: "/" })).toThrow(
      "did you mean 'command'?",
    );
    // @ts-expect-error: and so is a wrong value
    expect(() => loadConfigObject({ processes: { a: { command: "x", autostart: "yes" } } }, { base_dir: "/", state_dir: "/" })).toThrow(
      "true or false",
    );
  });
});
