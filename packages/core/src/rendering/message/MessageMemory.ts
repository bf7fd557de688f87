// Memory that one message after the other is written into. A message needs some 30 KB, and fresh memory costs more than all
// else about it: the machine clears every page before it gives it out.
//
// Nobody can see another's message in it. Memory that comes back is detached from everyone who still holds it
// (`ArrayBuffer.transfer`): what they hold is empty from then on, whatever is written next. What never comes back is left
// to the garbage collector.

/** Memory that is kept for the next message; what is larger, or more, is not. */
const kept_max = 64
const kept_bytes_max = 256 * 1024
/** Memory is asked for in whole blocks, so that the next message, a little longer, finds room in it too. */
const block_bytes = 16 * 1024

export class MessageMemory {
  readonly #free: Array<ArrayBuffer> = []
  readonly #lent = new WeakSet<ArrayBuffer>()

  /** At least so many bytes. They hold what others have written: whoever takes them shows only what was written since. */
  take(size_bytes: number): Uint8Array<ArrayBuffer> {
    const last = this.#free.pop()
    const memory =
      last !== undefined && last.byteLength >= size_bytes
        ? last
        : new ArrayBuffer(Math.ceil(size_bytes / block_bytes) * block_bytes)
    this.#lent.add(memory)
    return new Uint8Array(memory)
  }

  /**
   * Takes back the memory that these bytes, or any part of it, lie in. Nothing native may still read from it: a write to a
   * socket knows nothing of being detached. What was not taken here, or is back already, is left alone.
   */
  giveBack({ buffer }: Uint8Array<ArrayBuffer>): void {
    if (!this.#lent.delete(buffer)) return
    const memory = buffer.transfer()
    if (this.#free.length < kept_max && memory.byteLength <= kept_bytes_max) this.#free.push(memory)
  }
}
