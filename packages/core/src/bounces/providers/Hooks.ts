// The webhooks of mail providers. A call is accepted when its address contains our secret and its signature is the provider's.
// Its reports have the effect of returned mail, for messages of the secret's workspace only. A secret contains the workspace,
// and a MAC under APP_SECRET proves that this service created it for this provider. Secrets are not stored.
import { Clock, Context, Effect, Layer, Option, Redacted, Schema, Result } from "effect"
import { Base64, Base64Url } from "effect/encoding"
import { concat, decodeText, encodeText } from "../../kernel/Bytes.ts"
import { jsonExcess } from "../../kernel/JsonExcess.ts"
import { uuidText, writeUuid } from "../../kernel/values/UuidBytes.ts"
import { Links } from "../../rendering/Links.ts"
import { WorkspaceId } from "../../kernel/Ids.ts"
import { Invalid, NotFound, Unavailable, refusalClass } from "../../kernel/Refusal.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { reportRecorder } from "../ReportRecording.ts"
import { deliveryOf, type HookCall, type Provider, type ProviderEvent, providers } from "./ProviderCall.ts"
import { HookTokenStore } from "./HookTokenStore.ts"
import { mailgunCall, mailgunEvents } from "./Mailgun.ts"
import { postmarkEvents } from "./Postmark.ts"
import { sendGridEvents } from "./SendGrid.ts"
import { certificateUrl, sesEvents, signedText, snsEnvelope, subscriptionUrl } from "./Ses.ts"
import { Signatures, Sns } from "./Signatures.ts"

/** The call does not prove that it comes from the provider. */
export class HookRefused extends refusalClass<HookRefused>()("HookRefused", {
  code: "hook_refused",
  fields: { why: Schema.String },
  message: ({ why }) => `The call was refused: ${why}`,
}) {}

export class HookUnreadable extends refusalClass<HookUnreadable>()("HookUnreadable", {
  code: "invalid_json",
  message: () => "The body is not JSON. See the provider's documentation for the format",
}) {}

export type HookRefusal = NotFound | HookRefused | HookUnreadable | Invalid | Unavailable

/** A call that was signed longer ago is refused as a replay. */
const stale_after_s = 3600
/** Allows for clocks that differ. */
const early_s = 300

/** Reports written in one transaction. */
const batch_size = 500

export class Hooks extends Context.Service<
  Hooks,
  {
    /**
     * When it returns, all reports of the call are committed. May be repeated. The body is read only when the address is valid,
     * so that strangers can't send megabytes.
     */
    readonly receive: <E, R>(
      provider: string,
      secret: string,
      call: Effect.Effect<HookCall, E, R>,
    ) => Effect.Effect<void, HookRefusal | E, R>
    /** The addresses to enter at the providers, and whether each provider is configured. */
    readonly addresses: (
      workspace: WorkspaceId,
    ) => ReadonlyArray<{ readonly provider: Provider; readonly configured: boolean; readonly url: string }>
  }
>()("tentpole/Hooks") {
  static readonly layer = Layer.effect(
    Hooks,
    Effect.gen(function* () {
      const secrets = yield* Secrets
      const { hooks, publicApiUrl } = yield* Settings
      const workspaces = yield* WorkspaceStore
      const links = yield* Links
      const { transact } = yield* Transactor
      const tokens = yield* HookTokenStore
      const signatures = yield* Signatures
      const sns = yield* Sns
      const record = yield* reportRecorder

      const configured: { readonly [Each in Provider]: boolean } = {
        ses: hooks.sesTopicArns.length > 0,
        sendgrid: hooks.sendgridPublicKey !== null,
        mailgun: hooks.mailgunSigningKey !== null,
        postmark: hooks.postmarkLogin !== null,
      }

      const write = Effect.fnUntraced(function* (workspace: WorkspaceId, events: ReadonlyArray<ProviderEvent>) {
        const reports = events.flatMap(({ message, what }) => {
          const deliveryId = deliveryOf(message, workspace, links)
          return deliveryId === undefined ? [] : [{ deliveryId, what }]
        })
        for (let start = 0; start < reports.length; start += batch_size) {
          yield* record(workspace, reports.slice(start, start + batch_size))
        }
      })

      const take: {
        readonly [Each in Provider]: (workspace: WorkspaceId, call: HookCall) => Effect.Effect<void, HookRefusal>
      } = {
        ses: Effect.fnUntraced(function* (workspace: WorkspaceId, { body }: HookCall) {
          const envelope = snsEnvelope(yield* parsed(body))
          if (envelope === undefined) return yield* notFrom("Amazon SNS")
          if (!hooks.sesTopicArns.includes(envelope.TopicArn)) return yield* refuse("its topic is not SES_TOPIC_ARN")
          const certificate = certificateUrl(envelope)
          if (certificate === undefined) return yield* refuse("its certificate is not hosted by SNS")
          const pem = yield* Effect.catchTag(sns.certificate(certificate), "SnsUnavailable", snsAway)
          const algorithm = envelope.SignatureVersion === "1" ? "sha1" : "sha256"
          const now_ms = yield* Clock.currentTimeMillis
          if (!signatures.isByCertificate(pem, algorithm, signedText(envelope), envelope.Signature, now_ms)) {
            return yield* refuse("its signature does not fit")
          }
          if (envelope.Type === "Notification") {
            // SNS would repeat a message that is refused. One that can't be read is not of SES.
            const message = yield* Effect.orElseSucceed(parsedText(envelope.Message), () => null)
            return yield* write(workspace, sesEvents(message))
          }
          if (envelope.Type === "UnsubscribeConfirmation") return
          const url = subscriptionUrl(envelope)
          if (url === undefined) return yield* refuse("its SubscribeURL does not lead to SNS")
          yield* Effect.catchTag(sns.confirm(url), "SnsUnavailable", snsAway)
        }),

        sendgrid: Effect.fnUntraced(function* (workspace: WorkspaceId, { body, headers }: HookCall) {
          const timestamp = headers["x-twilio-email-event-webhook-timestamp"] ?? ""
          const signature = headers["x-twilio-email-event-webhook-signature"] ?? ""
          if (!signatures.isEcdsa(hooks.sendgridPublicKey ?? "", concat([encodeText(timestamp), body]), signature)) {
            return yield* refuse("its signature is missing or does not fit")
          }
          if (!(yield* isFresh(timestamp))) return yield* refuse("it was signed too long ago")
          const events = sendGridEvents(yield* parsed(body))
          return events === undefined ? yield* notFrom("SendGrid") : yield* write(workspace, events)
        }),

        mailgun: Effect.fnUntraced(function* (workspace: WorkspaceId, { body }: HookCall) {
          const call = mailgunCall(yield* parsed(body))
          if (call === undefined) return yield* notFrom("Mailgun")
          const { signature, timestamp, token } = call.signature
          if (!signatures.isHmac(valueOf(hooks.mailgunSigningKey), encodeText(timestamp + token), signature)) {
            return yield* refuse("its signature does not fit")
          }
          if (!(yield* isFresh(timestamp))) return yield* refuse("it was signed too long ago")
          const use = {
            provider: "mailgun",
            token: secrets.sha256(encodeText(token)),
            body: secrets.sha256(body),
            keep_s: stale_after_s + early_s,
          } as const
          yield* transact(
            Effect.gen(function* () {
              if (!(yield* tokens.use(workspace, use))) return yield* refuse("its token has been used for another call")
              yield* write(workspace, mailgunEvents(call["event-data"]))
            }),
          )
        }),

        postmark: Effect.fnUntraced(function* (workspace: WorkspaceId, { body, headers }: HookCall) {
          const [, given = ""] = /^basic +(\S+)$/i.exec(headers["authorization"] ?? "") ?? []
          if (!signatures.isSame(given, Base64.encode(valueOf(hooks.postmarkLogin))))
            return yield* refuse("its login is missing or another one")
          const events = postmarkEvents(yield* parsed(body))
          return events === undefined ? yield* notFrom("Postmark") : yield* write(workspace, events)
        }),
      }

      const known = Effect.fnUntraced(function* (name: string, secret: string) {
        const provider = providers.find((each) => each === name)
        if (provider === undefined || !configured[provider]) return yield* noHook
        const workspace = workspaceOf(secrets, provider, secret)
        if (Option.isNone(workspace)) return yield* noHook
        yield* Effect.catchTag(workspaces.get(workspace.value), "NotFound", () => noHook)
        return { provider, workspace: workspace.value }
      })

      return Hooks.of({
        receive: Effect.fn("Hooks.receive")(function* (name, secret, call) {
          const { provider, workspace } = yield* known(name, secret)
          yield* take[provider](workspace, yield* call)
        }),
        addresses: (workspace) =>
          providers.map((provider) => ({
            provider,
            configured: configured[provider],
            url: `${publicApiUrl}/hooks/${provider}/${hookSecret(secrets, provider, workspace)}`,
          })),
      })
    }),
  )
}

/** The same for a wrong secret, an unknown provider and one that is not configured, so that callers can't distinguish them. */
const noHook = new NotFound({ resource: "hook" })

/** Hooks without a key are not configured, so that the empty case is not reached. */
const valueOf = (secret: Redacted.Redacted | null): string => (secret === null ? "" : Redacted.value(secret))

const refuse = (why: string) => new HookRefused({ why })

const notFrom = (provider: string) => Invalid.at("", `must be what ${provider} sends`)

const snsAway = () => new Unavailable({ part: "certificate's server" })

/** Other requests continue between the steps, which each take time in proportion to the body. */
const parsed = Effect.fnUntraced(function* (body: Uint8Array) {
  const text = decodeText(body)
  yield* Effect.yieldNow
  return yield* parsedText(text)
})

const parsedText = Effect.fnUntraced(function* (text: string) {
  const excess = yield* jsonExcess(text)
  if (excess !== null) return yield* Invalid.at("", excess)
  yield* Effect.yieldNow
  return yield* Effect.try({ try: (): unknown => JSON.parse(text), catch: () => new HookUnreadable() })
})

/** Seconds since 1970, neither too old nor in the future. */
const isFresh = (timestamp: string) =>
  Effect.map(Clock.currentTimeMillis, (now_ms) => {
    const age_s = now_ms / 1000 - Number(timestamp)
    return /^\d{1,12}$/.test(timestamp) && age_s <= stale_after_s && age_s >= -early_s
  })

const purpose = "hooks"
const id_bytes = 16
/** With the id these are whole characters of base64url, so that a secret has one spelling. */
const tag_bytes = 17
const secret_length = 44

const messageOf = (provider: Provider, id: Uint8Array): Uint8Array => concat([encodeText(`${provider} `), id])

const hookSecret = (secrets: Secrets["Service"], provider: Provider, workspace: WorkspaceId): string => {
  const id = new Uint8Array(id_bytes)
  writeUuid(workspace, id, 0)
  return Base64Url.encode(concat([id, secrets.mac(purpose, messageOf(provider, id)).subarray(0, tag_bytes)]))
}

/** The workspace of a secret; none when it was not created here, or for another provider. Takes constant time. */
const workspaceOf = (secrets: Secrets["Service"], provider: Provider, secret: string): Option.Option<WorkspaceId> => {
  const bytes = secret.length === secret_length && /^[\w-]*$/.test(secret) ? Base64Url.decode(secret) : undefined
  if (bytes === undefined || Result.isFailure(bytes) || bytes.success.length !== id_bytes + tag_bytes) {
    return Option.none()
  }
  const id = bytes.success.slice(0, id_bytes)
  if (!secrets.verifies(purpose, messageOf(provider, id), bytes.success.slice(id_bytes))) return Option.none()
  return Option.some(WorkspaceId.make(uuidText(id, 0)))
}
