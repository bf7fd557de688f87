// Calls of the API by commands: the URL and the key of the configuration, and failures as one sentence.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { storedApiKey } from "@tentpole/adapters/DataFolder"
import { readConfiguration } from "@tentpole/adapters/Launch"
import { type Client, connect } from "@tentpole/client"
import { Effect, Redacted, Schema } from "effect"

export interface Remote {
  readonly config: Configuration
  readonly url: string
  readonly key: Redacted.Redacted
}

/** A call failed; the reason says why. */
export class CallFailed extends Schema.TaggedError<CallFailed>()("CallFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** The API of the configuration, with a key. */
export const remote: Effect.Effect<Remote, BadConfiguration> = Effect.gen(function* () {
  const config = yield* readConfiguration
  const key = config.commandApiKey ?? config.bootstrapApiKey ?? (yield* storedApiKey(config))
  if (key === null) {
    return yield* new BadConfiguration({
      reason: `No API key is available: set TENTPOLE_API_KEY. The first \`npm start\` writes a key to ${config.dataDir}/api-key.`,
    })
  }
  return { config, key, url: config.publicApiUrl }
})

interface Issue {
  readonly path: string
  readonly message: string
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const issues: ReadonlyArray<Issue> = "issues" in error && Array.isArray(error.issues) ? error.issues : []
  return [error.message, ...issues.map(({ message, path }) => `  ${path}: ${message}`)].join("\n")
}

/** Runs promises that call the API. */
export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, CallFailed> =>
  Effect.tryPromise({ try: work, catch: (error) => new CallFailed({ reason: reasonOf(error) }) })

/** Runs calls with the typed client. */
export const withClient = <A>(work: (client: Client, remote: Remote) => Promise<A>) =>
  Effect.flatMap(remote, (at) => attempt(() => work(connect({ url: at.url, apiKey: Redacted.value(at.key) }), at)))
