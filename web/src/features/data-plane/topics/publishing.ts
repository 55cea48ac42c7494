import { messageOf } from "../../../../../src/base/errors.ts";
import { kept } from "../../../state/settings.ts";
import { ask } from "../../../state/store.ts";

/** A message as it was entered. */
export interface Message {
  readonly name: string;
  /** The value as JSON. */
  readonly value: string;
  readonly definition: string;
  readonly definitionName: string;
}

/** A message that was published from this browser. */
export interface Published extends Message {
  /** Time in milliseconds since 1970. */
  readonly at: number;
}

const MAX_HISTORY = 20;
/** Maximum size of a message that is kept, characters: the browser's storage is small. */
const MAX_KEPT_CHARS = 20_000;

/** Messages that were published from this browser, the newest first. */
export const history = kept<readonly Published[]>("published", [], (value) =>
  Array.isArray(value) ? value.filter(isPublished).slice(0, MAX_HISTORY) : null,
);

function isPublished(value: unknown): value is Published {
  if (value === null || typeof value !== "object") return false;
  const { at, ...texts } = value as Published;
  const { name, value: message, definition, definitionName } = texts;
  return typeof at === "number" && [name, message, definition, definitionName].every((text) => typeof text === "string");
}

/** Adds a message to the history; one that was published before moves to the top. */
export function remember(message: Message): void {
  if (message.value.length + message.definition.length > MAX_KEPT_CHARS) return;
  const isSame = (one: Message) =>
    one.name === message.name &&
    one.value === message.value &&
    one.definition === message.definition &&
    one.definitionName === message.definitionName;
  history.value = [{ ...message, at: Date.now() }, ...history.peek().filter((one) => !isSame(one))].slice(0, MAX_HISTORY);
}

/** Publishes a message. Resolves with the number of subscribers; rejects with the manager's message. */
export async function publish({ name, value, definition, definitionName }: Message): Promise<number> {
  const answer = await ask(
    {
      type: "publish_topic",
      name,
      value: JSON.parse(value),
      ...(definition === "" ? {} : { definition }),
      ...(definitionName === "" ? {} : { definition_name: definitionName }),
    },
    "topic_publish_result",
  );
  if (!answer.ok) throw new Error(answer.message);
  return answer.subscribers;
}

/** The number of messages published so far; a `problem` ends the publishing. */
export interface Progress {
  readonly sent: number;
  readonly subscribers: number;
  readonly problem: string | null;
}

/** Publishes repeatedly until the returned function is called or a message is refused. A slow manager gets fewer messages. */
export function publishAtRate(message: Message, rate: number, tell: (progress: Progress) => void): () => void {
  let sent = 0;
  let isWaiting = false;
  const send = async () => {
    if (isWaiting) return;
    isWaiting = true;
    try {
      const subscribers = await publish(message);
      tell({ sent: ++sent, subscribers, problem: null });
    } catch (error) {
      clearInterval(timer);
      tell({ sent, subscribers: 0, problem: messageOf(error) });
    } finally {
      isWaiting = false;
    }
  };
  const timer = setInterval(send, 1_000 / rate);
  void send();
  return () => clearInterval(timer);
}
