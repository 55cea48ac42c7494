import { readFileSync } from "node:fs";

/** docs/client-vectors.json, as far as these tests read it. */
interface Vectors {
  services: { name: string; nats_name: string; endpoint: string; subject: string }[];
  loss: { seq: (number | null)[]; missed: number }[];
  stages: { cause: { topic: string; time: string | null; stages: string | null }; topic: string; header: string | null }[];
  json: { type: "float" | "int" | "bytes"; value: string; json: string }[];
  parameter_text: {
    accepted: { type: "float" | "int" | "bool" | "string"; text: string; value: number | boolean | string }[];
    refused: { type: "float" | "int" | "bool" | "string"; text: string }[];
  };
  cdr: { definition: string; value: Record<string, unknown>; hex: string }[];
}

export const vectors: Vectors = JSON.parse(readFileSync(new URL("../../../../docs/client-vectors.json", import.meta.url), "utf8"));
