// Inputs of webhooks: bodies at their maximum, with valid signatures of each provider.
import type { Provider } from "@tentpole/core/bounces/providers/ProviderCall"
import { type Call, mailgunCallOf, postmarkCallOf, sendGridCall, snsCall } from "@tentpole/http/test/fixtures/HookCalls"
import { copies, fillings, text, values } from "./Fillings.ts"

/** Below the limit of a body. */
const hook_bytes_max = 9_900_000

interface Calls {
  /** A call whose events are raw JSON. */
  readonly of: (raw: string) => Call
  /** An event with a text in the field that is read most. */
  readonly event: (text: string) => object
  /** Whether a call has a list of events. */
  readonly isList: boolean
}

const calls: { readonly [Each in Provider]: Calls } = {
  postmark: {
    of: postmarkCallOf,
    event: (words) => ({ RecordType: "Bounce", Type: "HardBounce", Description: words, Details: words }),
    isList: false,
  },
  sendgrid: {
    of: sendGridCall,
    event: (words) => ({ event: "bounce", status: words, reason: words, "smtp-id": words }),
    isList: true,
  },
  mailgun: {
    of: mailgunCallOf,
    event: (words) => ({
      event: "failed",
      severity: "permanent",
      reason: "bounce",
      message: { headers: { "message-id": words } },
      "delivery-status": { "enhanced-code": words, message: words },
    }),
    isList: false,
  },
  ses: {
    of: (raw) => snsCall({ Message: raw }),
    event: (words) => ({
      eventType: "Bounce",
      mail: { messageId: words, headers: [{ name: "Message-ID", value: words }] },
      bounce: { bounceType: "Permanent", bouncedRecipients: [{ diagnosticCode: words, status: words }] },
    }),
    isList: false,
  },
}

export interface HookInput {
  readonly provider: Provider
  readonly parameter: string
  readonly filling: string
  /** Signed when it is sent: signatures expire. */
  readonly call: () => Call
}

/** The texts of an event repeat the filling three times; as text in JSON, SNS escapes it again. */
const text_bytes_max = { postmark: 4_900_000, sendgrid: 3_200_000, mailgun: 3_200_000, ses: 1_200_000 }

const short_length = 100
const events_max = 20_000

export const hookInputs: ReadonlyArray<HookInput> = (["postmark", "sendgrid", "mailgun", "ses"] as const).flatMap(
  (provider) => {
    const { event, isList, of } = calls[provider]
    const listed = (raw: string) => (isList ? `[${raw}]` : raw)
    const bytes_max = provider === "ses" ? hook_bytes_max / 3 : hook_bytes_max - 1_000
    return [
      ...Object.entries(values).map(([filling, make]) => ({
        provider,
        parameter: "the body",
        filling,
        call: () => of(make(bytes_max)),
      })),
      ...fillings.map((filling) => ({
        provider,
        parameter: "texts of an event",
        filling,
        call: () =>
          of(
            listed(JSON.stringify(event(text(filling, { length_max: Infinity, bytes_max: text_bytes_max[provider] })))),
          ),
      })),
      {
        provider,
        parameter: "many events",
        filling: "short texts",
        call: () => of(copies(JSON.stringify(event("x".repeat(short_length))), events_max, bytes_max)),
      },
    ]
  },
)
