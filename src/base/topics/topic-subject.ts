import { MgrError } from "../errors.ts";
import { MAX_SUBJECT_TOKENS } from "./subject-limits.ts";

/** Names of topics and services as NATS subjects (docs/clients.md, "Subjects"). */

export const MAX_TOPIC_NAME_BYTES = 255;

/** Subjects of services have two tokens besides the parts of the name: `svc.…` and the endpoint. */
const MAX_TOPIC_NAME_PARTS = MAX_SUBJECT_TOKENS - 2;

export const TOPIC_PREFIX = "topic.";
/** Subjects of samples that were kept while a link was cut: only brokers publish them (docs/store-forward.md). */
export const LATE_PREFIX = "late.";
const PLAIN = /^[A-Za-z0-9_-]$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The reason why `name` cannot name a topic or service, as the end of a sentence ("… is empty"), or null if it can. */
export function topicNameProblem(name: string): string | null {
  if (name === "") return "is empty";
  if (LONE_SURROGATE.test(name)) return "is not valid Unicode";
  const size = encoder.encode(name).length;
  if (size > MAX_TOPIC_NAME_BYTES) return `has ${size} bytes of UTF-8; at most ${MAX_TOPIC_NAME_BYTES} are allowed`;
  const parts = name.split("/");
  if (parts.includes("")) return "has an empty part (check for a leading, trailing or double '/')";
  if (parts.length <= MAX_TOPIC_NAME_PARTS) return null;
  return `has ${parts.length} parts between its '/'; at most ${MAX_TOPIC_NAME_PARTS} are allowed, because a subject has at most ${MAX_SUBJECT_TOKENS} tokens`;
}

/** `arm/joint 1` → `arm.joint%201`. Throws `bad_field` for a name that is not allowed. */
export function subjectTokens(name: string): string {
  const problem = topicNameProblem(name);
  if (problem !== null) throw new MgrError("bad_field", `the name ${JSON.stringify(name.slice(0, 80))} ${problem}`);
  return name.split("/").map(encodeToken).join(".");
}

/** `arm/state` → `topic.arm.state`. Throws `bad_field` for a name that is not allowed. */
export function subjectOfTopic(name: string): string {
  return TOPIC_PREFIX + subjectTokens(name);
}

/** The subject of the late samples of a topic: `arm/state` → `late.arm.state`. Throws `bad_field` for a name that is not allowed. */
export function lateSubjectOfTopic(name: string): string {
  return LATE_PREFIX + subjectTokens(name);
}

/** The topic whose subject this is; null if it is the subject of none. `topicOfSubject(subjectOfTopic(name))` is `name`. */
export function topicOfSubject(subject: string): string | null {
  if (!subject.startsWith(TOPIC_PREFIX)) return null;
  const name = decode(subject.slice(TOPIC_PREFIX.length));
  // There is one subject for each name: other spellings of it (%61 for a, lower-case hex) are no topics.
  return name !== null && topicNameProblem(name) === null && subjectOfTopic(name) === subject ? name : null;
}

function encodeToken(part: string): string {
  let token = "";
  for (const byte of encoder.encode(part)) {
    const char = String.fromCharCode(byte);
    token += PLAIN.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return token;
}

function decode(tokens: string): string | null {
  const bytes: number[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const char = tokens.charAt(at);
    if (char === "%") {
      const hex = tokens.slice(at + 1, at + 3);
      if (!/^[0-9A-F]{2}$/.test(hex)) return null;
      bytes.push(Number.parseInt(hex, 16));
      at += 2;
    } else if (char === ".") bytes.push(0x2f);
    else if (PLAIN.test(char)) bytes.push(char.charCodeAt(0));
    else return null;
  }
  try {
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return null;
  }
}
