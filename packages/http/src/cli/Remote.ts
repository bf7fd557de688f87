// Calls of the API by commands: the URL and the key of the configuration, and failures as one sentence.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { storedApiKey } from "@tentpole/adapters/DataFolder"
import { readConfiguration } from "@tentpole/adapters/Launch"
import { type Client, connect, ConnectionFailed } from "@tentpole/client"
import { Effect, Redacted, Schema } from "effect"
import { readFile } from "node:fs/promises"

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

/** One line: the message, and the issues of an invalid request. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ConnectionFailed) {
    return `${error.message}. Run \`npm start\` in another terminal, or set PUBLIC_API_URL.`
  }
  const issues: ReadonlyArray<Issue> = "issues" in error && Array.isArray(error.issues) ? error.issues : []
  if (issues.length === 0) return error.message
  return `${error.message}: ${issues.map(({ message, path }) => `${path} ${message}`).join("; ")}`
}

/** Runs promises that call the API. */
export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, CallFailed> =>
  Effect.tryPromise({ try: work, catch: (error) => new CallFailed({ reason: reasonOf(error) }) })

/** The typed client of the API. */
export const connected: Effect.Effect<Client, BadConfiguration> = Effect.map(remote, (at) => clientOf(at))

const clientOf = ({ key, url }: Remote): Client => connect({ url, apiKey: Redacted.value(key) })

/** Runs calls with the typed client. */
export const withClient = <A>(work: (client: Client, remote: Remote) => Promise<A>) =>
  Effect.flatMap(remote, (at) => attempt(() => work(clientOf(at), at)))

/** The text itself, or with `@` the content of a file. */
export const textOrFile = (data: string): Promise<string> | string =>
  data.startsWith("@") ? readFile(data.slice(1), "utf8") : data

/** The same, as JSON. */
export const jsonOrFile = async (data: string): Promise<unknown> => {
  const text = await textOrFile(data)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${data.startsWith("@") ? data.slice(1) : "The value"} is not JSON: ${String(error)}`, {
      cause: error,
    })
  }
}
