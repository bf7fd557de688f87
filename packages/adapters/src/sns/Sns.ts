// Amazon SNS over HTTPS: signing certificates, which are cached, and subscription confirmations. Responses have limits on
// time and size, and redirects are not followed.
import { Sns, SnsUnavailable } from "@tentpole/core/bounces/providers/Signatures"
import { Cache, Duration, Effect, Exit, Layer } from "effect"

export interface SnsOptions {
  readonly patience_ms: number
  readonly answer_bytes_max: number
  readonly fetch: typeof globalThis.fetch
}

const defaults: SnsOptions = { patience_ms: 5_000, answer_bytes_max: 65_536, fetch: globalThis.fetch }

const certificates_max = 16
const certificate_ttl = Duration.hours(24)
/** How long a failure is cached, so that a server that is down is not requested for every webhook. */
const failure_ttl = Duration.seconds(5)

const get = ({ answer_bytes_max, fetch, patience_ms }: SnsOptions, url: string) =>
  Effect.tryPromise({
    try: async () => {
      const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(patience_ms) })
      const body: AsyncIterable<Uint8Array> | null = answer.body
      if (!answer.ok || body === null) throw new Error(`answered ${answer.status}`)
      const pieces: Array<Uint8Array> = []
      let length = 0
      for await (const piece of body) {
        length += piece.length
        if (length > answer_bytes_max) throw new Error("answered too much")
        pieces.push(piece)
      }
      return Buffer.concat(pieces).toString("utf8")
    },
    catch: (error) => new SnsUnavailable({ reason: error instanceof Error ? error.message : String(error) }),
  })

export const layer = (different: Partial<SnsOptions> = {}) =>
  Layer.effect(
    Sns,
    Effect.gen(function* () {
      const options = { ...defaults, ...different }
      const cache = yield* Cache.makeWith((url: string) => get(options, url), {
        capacity: certificates_max,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? certificate_ttl : failure_ttl),
      })
      return Sns.of({
        certificate: (url) => Cache.get(cache, url),
        confirm: (url) => Effect.asVoid(get(options, url)),
      })
    }),
  )
