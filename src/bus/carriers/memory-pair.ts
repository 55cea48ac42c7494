import type { ByteStream, ByteStreamHandlers } from "./byte-stream.ts";

/** The two ends of an in-process connection: each reads what the other writes, without a copy. */
export function memoryPair(): [ByteStream, ByteStream] {
  const left = new MemoryEnd();
  const right = new MemoryEnd();
  left.join(right);
  right.join(left);
  return [left, right];
}

class MemoryEnd implements ByteStream {
  #peer: MemoryEnd | null = null;
  #handlers: ByteStreamHandlers | null = null;
  /** Bytes written by the peer and not delivered yet. */
  #inbound: Uint8Array[] = [];
  #inboundBytes = 0;
  #paused = false;
  #scheduled = false;
  #peerEnded = false;
  #ended = false;
  #closed = false;

  join(peer: MemoryEnd): void {
    this.#peer = peer;
  }

  get unsent(): number {
    const peer = this.#peer;
    return peer ? peer.#inboundBytes : 0;
  }

  write(chunks: readonly Uint8Array[]): void {
    if (this.#closed || this.#ended) return;
    const peer = this.#peer;
    if (!peer || peer.#closed) return;
    for (const chunk of chunks) {
      peer.#inbound.push(chunk);
      peer.#inboundBytes += chunk.length;
    }
    peer.#schedule();
  }

  open(handlers: ByteStreamHandlers): void {
    this.#handlers = handlers;
    this.#schedule();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const peer = this.#peer;
    if (!peer) return;
    peer.#peerEnded = true;
    peer.#schedule();
  }

  destroy(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inbound = [];
    this.#inboundBytes = 0;
    this.end();
    queueMicrotask(() => this.#handlers?.closed(null));
  }

  notifyDrained(): void {
    this.#handlers?.drained();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    const handlers = this.#handlers;
    if (!handlers) return;
    const chunks = this.#inbound;
    let index = 0;
    while (index < chunks.length && !this.#paused && !this.#closed) {
      const chunk = chunks[index++] as Uint8Array;
      this.#inboundBytes -= chunk.length;
      handlers.data(chunk);
    }
    if (this.#closed) return;
    if (index > 0) chunks.splice(0, index);
    if (chunks.length > 0) return;
    const peer = this.#peer;
    if (index > 0) peer?.notifyDrained();
    // Closed once both halves are closed. As with a socket without allowHalfOpen, the other half closes by itself.
    if (this.#peerEnded && !this.#paused) this.destroy();
  }
}
