/** Path of the WebSocket. */
export const FOXGLOVE_PATH = "/mgr/foxglove";
/** Maximum number of viewers at the same time: each gets a copy of what it subscribes to. */
export const MAX_VIEWERS = 16;
/** Maximum size of a message of a viewer, bytes. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Maximum number of entries in one message, and of subscriptions of a viewer. */
export const MAX_SUBSCRIPTIONS = 1_000;
/** Maximum number of topics that a viewer publishes. */
export const MAX_CLIENT_CHANNELS = 100;
/** Maximum length of the schema of such a topic, characters: as of a definition in `publish_topic`. */
export const MAX_SCHEMA_CHARS = 32 * 1024;
/** Maximum number of requests of a viewer that are being answered; further ones wait. */
export const MAX_REQUESTS = 32;
/** Maximum number of bytes of requests that wait; beyond it, they are refused. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Unsent bytes in the socket above which messages wait here. */
export const MAX_SOCKET_BYTES = 256 * 1024;
/** Maximum number of bytes of samples that wait for a viewer; beyond it, the oldest are dropped. */
export const MAX_SAMPLE_BYTES = 4 * 1024 * 1024;
/** Maximum number of bytes of other messages that wait for a viewer; beyond it, it is disconnected. */
export const MAX_CONTROL_BYTES = 16 * 1024 * 1024;
