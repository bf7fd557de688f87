// The events of a stream of changes.

/** A thing that was watched, and its value now. `end` has no value: the service stops, watch again. */
export interface ChangeEvent {
  /** As it was watched: `blast:<id>`, `workspace`. `end` closes the stream. */
  readonly of: string
  readonly value?: unknown
}

/** Reads `changes.watch`: `for await (const { of, value } of eventsOf(await client.changes.watch({ query: { watch } })))`. */
export const eventsOf = async function* (
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ChangeEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const events = text.split("\n\n")
      text = events.pop() ?? ""
      // Comments, which keep the connection open, have no data.
      for (const event of events) {
        if (event.startsWith("data: ")) yield JSON.parse(event.slice("data: ".length)) as ChangeEvent
      }
    }
  } finally {
    await reader.cancel()
  }
}
