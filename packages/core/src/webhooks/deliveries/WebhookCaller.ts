// The port to receivers of webhooks: one HTTP request.
import { Context, type Effect } from "effect"
import type { AttemptOutcome } from "./Attempt.ts"

export interface WebhookCall {
  /** Connections are used again for the same endpoint only. */
  readonly endpoint: string
  /** Connections to the endpoint that may be open. */
  readonly connections_max: number
  /** Passed `checkEndpointUrl`. */
  readonly url: string
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WebhookAnswer extends AttemptOutcome {
  readonly duration_ms: number
  /** The beginning of the answer's body, without control characters. Null: there was no answer. */
  readonly snippet: string | null
}

export const connect_max_ms = 5_000
export const answer_head_bytes_max = 16_384
/** More of a body is not read. The status counts. */
export const answer_body_bytes_max = 65_536
export const snippet_length_max = 1_000

export class WebhookCaller extends Context.Service<
  WebhookCaller,
  {
    /**
     * Sends a POST, once. Redirects are not followed. The host is resolved for each new connection, all its addresses must be
     * permitted, and the connection goes to one of them.
     */
    readonly call: (call: WebhookCall) => Effect.Effect<WebhookAnswer>
  }
>()("tentpole/WebhookCaller") {}
