// How fast mail comes while something else goes on.
import type { Sink } from "../support/Sink.ts"

/** Messages a second while something goes on, from the first one that comes. */
export const rateOf = async ({ mails }: Sink, meanwhile: () => Promise<void>): Promise<number> => {
  const before = mails.length
  const began_ms = Date.now()
  await meanwhile()
  const came = mails.slice(before)
  return (came.length / (Date.now() - Math.max(began_ms, came[0]?.at ?? 0))) * 1000
}
