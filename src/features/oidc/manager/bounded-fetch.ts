import type { CustomFetchOptions } from "openid-client";

/** Longest answer of a provider, bytes: its metadata, keys, or a user with all groups. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** `fetch` for answers of limited length. `signal` ends the request, too. */
export const boundedFetch =
  (signal: AbortSignal) =>
  async (url: string, options: CustomFetchOptions): Promise<Response> => {
    const { body, signal: own, ...rest } = options;
    const response = await fetch(url, {
      ...rest,
      // The library sends forms, and nothing else that has a body.
      body: body === undefined || body === null ? null : String(body),
      signal: own === undefined ? signal : AbortSignal.any([own, signal]),
    });
    if (response.body === null) return response;
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) throw new TypeError(`the answer of ${new URL(url).origin} has more than ${MAX_ANSWER_BYTES} bytes`);
      chunks.push(chunk);
    }
    const { status, statusText, headers } = response;
    return new Response(Buffer.concat(chunks), { status, statusText, headers });
  };
