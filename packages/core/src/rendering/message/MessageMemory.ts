// Reused memory for messages. A message needs some 30 KB, and allocating it costs more than the rest of its rendering,
// because the operating system clears every new page.
//
// Released memory is detached from all of its views (`ArrayBuffer.transfer`), which are empty from then on. A message can
// therefore not be read through the view of another. Memory that is not released is garbage-collected.

/** The maximum of buffers for reuse, and of bytes in each. Others are freed. */
const free_buffers_max = 64
const free_buffer_bytes_max = 256 * 1024
/** Memory is allocated in whole blocks, so that it suffices for a slightly longer message, too. */
const block_bytes = 16 * 1024

export class MessageMemory {
  readonly #free: Array<ArrayBuffer> = []
  readonly #lent = new WeakSet<ArrayBuffer>()

  /** At least this many bytes. They hold data of other messages: use only the part that was written since. */
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
   * Releases the memory of these bytes. No native code may still read from it: a write to a socket does not notice the
   * detachment. Memory from elsewhere, and memory that was released before, is ignored.
   */
  release({ buffer }: Uint8Array<ArrayBuffer>): void {
    if (!this.#lent.delete(buffer)) return
    const isReused = this.#free.length < free_buffers_max && buffer.byteLength <= free_buffer_bytes_max
    if (isReused) this.#free.push(buffer.transfer())
    // Frees the memory of a large message at once.
    else buffer.transfer(0)
  }
}
