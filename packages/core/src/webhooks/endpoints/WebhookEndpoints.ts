// The use cases of webhook endpoints.
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { decodeText, encodeText } from "../../kernel/Bytes.ts"
import { Ids, WebhookEndpointId, type WorkspaceId } from "../../kernel/Ids.ts"
import { type BrokenCursor, type ListedBy, type Sliced, sliceOf } from "../../kernel/Page.ts"
import { Invalid, type NotFound } from "../../kernel/Refusal.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { Reach } from "../EndpointUrl.ts"
import { parseNetwork } from "../NetworkAddress.ts"
import { keyOf, secret_bytes, secretMessage, secretOf } from "../Signature.ts"
import { type EndedHour, everyHour, firstHour } from "./EndedHours.ts"
import * as EndpointChange from "./EndpointChange.ts"
import {
  changedSettings,
  type EndpointFields,
  type NewEndpoint,
  newSettings,
  withStored,
  overlap_hours_default,
} from "./EndpointInput.ts"
import { EndpointStore } from "./EndpointStore.ts"
import { WebhookEndpointLimit } from "./WebhookErrors.ts"
import { cleanup_rows_max } from "./WebhookCleanup.ts"
import { endpoints_max, type EndpointWithStats, purposeOf, type WebhookEndpoint } from "./WebhookEndpoint.ts"

/** An endpoint whose secret is new. It is returned once and not stored in plain text. */
export interface EndpointWithSecret extends EndpointWithStats {
  readonly secret: string
}

export interface EndpointWithHours extends EndpointWithStats {
  /** The last 24, the oldest first. */
  readonly hours: ReadonlyArray<EndedHour>
}

export interface Rotation {
  /** How long the secret before signs, too. Default: 24. */
  readonly overlapHours?: number
  /** Default: a random one. */
  readonly secret?: string
}

const decodeHeaders = Schema.decodeEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

/** The beginning of a secret: `whsec_` and four characters. */
const secret_prefix_length = 10

export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    readonly list: (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Sliced<EndpointWithStats>, BrokenCursor>
    readonly get: (workspace: WorkspaceId, id: WebhookEndpointId) => Effect.Effect<EndpointWithHours, NotFound>
    readonly create: (
      workspace: WorkspaceId,
      endpoint: NewEndpoint,
    ) => Effect.Effect<EndpointWithSecret, Invalid | WebhookEndpointLimit>
    /** Headers are replaced as a whole. Those that are null keep their value. */
    readonly update: (
      workspace: WorkspaceId,
      id: WebhookEndpointId,
      fields: EndpointFields,
    ) => Effect.Effect<EndpointWithStats, NotFound | Invalid>
    /** What waits for it is dropped, and its log is deleted. */
    readonly delete: (workspace: WorkspaceId, id: WebhookEndpointId) => Effect.Effect<void, NotFound>
    /** The new secret signs from now on, and the one before beside it for a while. */
    readonly rotateSecret: (
      workspace: WorkspaceId,
      id: WebhookEndpointId,
      rotation: Rotation,
    ) => Effect.Effect<EndpointWithSecret, NotFound | Invalid>
    /** `stopped`: with the events that it missed, as far as they are stored. */
    readonly enable: (
      workspace: WorkspaceId,
      id: WebhookEndpointId,
      from: "now" | "stopped",
    ) => Effect.Effect<EndpointWithStats, NotFound>
    readonly disable: (workspace: WorkspaceId, id: WebhookEndpointId) => Effect.Effect<EndpointWithStats, NotFound>
  }
>()("tentpole/WebhookEndpoints") {
  static readonly layer = Layer.effect(
    WebhookEndpoints,
    Effect.gen(function* () {
      const store = yield* EndpointStore
      const ids = yield* Ids
      const secrets = yield* Secrets
      const reach = reachOf(yield* Settings)
      const { transact } = yield* Transactor

      const keyFor = (secret: string | undefined) => {
        if (secret === undefined) return secrets.randomBytes(secret_bytes)
        const key = keyOf(secret)
        return key === null ? Effect.fail(Invalid.at("secret", secretMessage)) : Effect.succeed(key)
      }

      const sealSecret = Effect.fnUntraced(function* (id: WebhookEndpointId, given: string | undefined) {
        const key = yield* keyFor(given)
        const secret = secretOf(key)
        const sealedSecret = yield* secrets.seal(purposeOf(id), key)
        return { secret, sealed: { sealedSecret, secretPrefix: secret.slice(0, secret_prefix_length) } }
      })

      const sealHeaders = Effect.fnUntraced(function* (
        id: WebhookEndpointId,
        headers: Readonly<Record<string, string>>,
      ) {
        const inLowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
        const headerNames = inLowerCase.map(([name]) => name)
        if (headerNames.length === 0) return { headerNames, sealedHeaders: null }
        const json = encodeText(JSON.stringify(Object.fromEntries(inLowerCase)))
        return { headerNames, sealedHeaders: yield* secrets.seal(purposeOf(id), json) }
      })

      /** In plain text. None if APP_SECRET is another one now. */
      const storedHeaders = ({ id, sealedHeaders }: WebhookEndpoint) =>
        sealedHeaders === null
          ? Effect.succeed({})
          : secrets.open(purposeOf(id), sealedHeaders).pipe(
              Effect.flatMap((json) => Effect.orDie(decodeHeaders(decodeText(json)))),
              Effect.catchTag("Unsealable", () => Effect.succeed({})),
            )

      const shown = (workspace: WorkspaceId, id: WebhookEndpointId) =>
        Effect.zipWith(store.get(workspace, id), DateTime.now, withoutExpired)

      /** Writes what `changed` makes of the locked endpoint; null: nothing. Returns the endpoint as it is then. */
      const change = <E, R>(
        workspace: WorkspaceId,
        id: WebhookEndpointId,
        changed: (
          before: WebhookEndpoint,
          now: DateTime.Utc,
        ) => Effect.Effect<EndpointChange.EndpointChange | null, E, R>,
      ) =>
        Effect.gen(function* () {
          const before = yield* store.lock(workspace, id)
          const made = yield* changed(before, yield* DateTime.now)
          if (made !== null) yield* store.apply(workspace, made)
          if (made?.skipsMissed === true) yield* store.skipMissed(workspace, id, cleanup_rows_max)
          return yield* shown(workspace, id)
        })

      return WebhookEndpoints.of({
        list: Effect.fn("WebhookEndpoints.list")(function* (workspace, by) {
          const { items, next } = yield* store.list(workspace, yield* sliceOf(by))
          const now = yield* DateTime.now
          return { items: items.map((each) => withoutExpired(each, now)), next }
        }),

        get: Effect.fn("WebhookEndpoints.get")(function* (workspace, id) {
          const it = yield* shown(workspace, id)
          const now = yield* DateTime.now
          return { ...it, hours: everyHour(yield* store.hoursSince(workspace, id, firstHour(now)), now) }
        }),

        create: Effect.fn("WebhookEndpoints.create")(function* (workspace, fields) {
          const settings = yield* Effect.fromResult(newSettings(fields, reach))
          const id = WebhookEndpointId.make(yield* ids.next)
          const { sealed, secret } = yield* sealSecret(id, fields.secret)
          const headers = yield* sealHeaders(id, fields.headers ?? {})
          const now = yield* DateTime.now
          const endpoint: WebhookEndpoint = {
            id,
            settings,
            status: "enabled",
            disabledReason: null,
            disabledAt: null,
            ...headers,
            ...sealed,
            previousSecret: null,
            replay: null,
            skipsThrough: null,
            createdAt: now,
            updatedAt: now,
          }
          const current = yield* store.lockCount(workspace)
          if (current >= endpoints_max) return yield* new WebhookEndpointLimit({ current })
          yield* store.apply(workspace, EndpointChange.create(endpoint))
          return { ...(yield* Effect.orDie(shown(workspace, id))), secret }
        }, transact),

        update: Effect.fn("WebhookEndpoints.update")(
          (workspace, id, fields) =>
            change(
              workspace,
              id,
              Effect.fnUntraced(function* (before, now) {
                const settings = yield* Effect.fromResult(changedSettings(before.settings, fields, reach))
                const headers =
                  fields.headers === undefined
                    ? {}
                    : yield* sealHeaders(
                        id,
                        yield* Effect.fromResult(withStored(fields.headers, yield* storedHeaders(before))),
                      )
                return EndpointChange.update(before, { settings, ...headers }, now)
              }),
            ),
          transact,
        ),

        delete: Effect.fn("WebhookEndpoints.delete")(function* (workspace, id) {
          const before = yield* store.lock(workspace, id)
          yield* store.apply(workspace, EndpointChange.remove(before, yield* DateTime.now))
          yield* store.deleteRows(workspace, id, cleanup_rows_max)
        }, transact),

        rotateSecret: Effect.fn("WebhookEndpoints.rotateSecret")(function* (workspace, id, rotation) {
          const { sealed, secret } = yield* sealSecret(id, rotation.secret)
          const changed = yield* change(workspace, id, (before, now) => {
            const overlapEnd = DateTime.add(now, { hours: rotation.overlapHours ?? overlap_hours_default })
            return Effect.succeed(EndpointChange.rotateSecret(before, sealed, { now, overlapEnd }))
          })
          return { ...changed, secret }
        }, transact),

        enable: Effect.fn("WebhookEndpoints.enable")(
          (workspace, id, from) =>
            change(workspace, id, (before, now) =>
              Effect.succeed(EndpointChange.enable(before, { now, skipsMissed: from === "now" })),
            ),
          transact,
        ),

        disable: Effect.fn("WebhookEndpoints.disable")(
          (workspace, id) =>
            change(workspace, id, (before, now) => Effect.succeed(EndpointChange.disable(before, "requested", now))),
          transact,
        ),
      })
    }),
  )
}

/** A secret that does not sign any more is not shown. */
const withoutExpired = (it: EndpointWithStats, now: DateTime.Utc): EndpointWithStats => {
  const { previousSecret } = it.endpoint
  return previousSecret === null || DateTime.isGreaterThan(previousSecret.expiresAt, now)
    ? it
    : { ...it, endpoint: { ...it.endpoint, previousSecret: null } }
}

const reachOf = ({ webhooks: { allowedNetworks, ownAddresses } }: Settings["Service"]): Reach => ({
  exceptions: allowedNetworks.flatMap((text) => parseNetwork(text) ?? []),
  own: new Set(ownAddresses),
})
