// The world that handlers are tested in: every use case over memory, a workspace, and its key; no socket.
import * as FakeAi from "@tentpole/adapters/ai/FakeAi"
import * as Cleaner from "@tentpole/adapters/ai/SanitizeHtml"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as Secrets from "@tentpole/adapters/crypto/Secrets"
import * as Signatures from "@tentpole/adapters/crypto/Signatures"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import * as Blobs from "@tentpole/adapters/memory/BlobStore"
import * as Dns from "@tentpole/adapters/memory/Dns"
import * as Jobs from "@tentpole/adapters/memory/Jobs"
import * as Memory from "@tentpole/adapters/memory/All"
import * as Sns from "@tentpole/adapters/sns/Sns"
import { settingsLayer, withFewKeyPairs } from "@tentpole/core/contract"
import { useCases } from "@tentpole/core/Tentpole"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { edge, routesOf } from "@tentpole/http/Edge"
import { Context, Effect, Layer, Redacted, References } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup } from "effect/http-api"

type Different = Parameters<typeof settingsLayer>[0]

const partsUnder = (different: Different) =>
  Layer.mergeAll(
    Ids.layer,
    Blobs.layer,
    Csv.layer,
    DkimSigner.layer,
    FakeAi.layer,
    Cleaner.layer,
    Dns.layer(),
    settingsLayer(different),
    Signatures.layer,
    // Nothing is asked of SNS in tests.
    Sns.layer({ fetch: () => Promise.reject(new Error("no SNS in tests")) }),
    withFewKeyPairs(Secrets.layer({ secret: Redacted.make("a secret for tests, long enough"), previous: null })),
  )

/** What use cases need besides stores and jobs. */
export const parts = partsUnder({})

const worldOf = (its: ReturnType<typeof partsUnder>) =>
  useCases.pipe(
    Layer.provideMerge(Memory.stores),
    Layer.provideMerge(Jobs.layer()),
    Layer.provideMerge(its),
    Layer.provideMerge(Memory.database),
  )

/** Every use case on memory. */
export const world = worldOf(parts)

/** The same under other settings, and without a log. */
export const worldWith = (different: Different) =>
  Layer.merge(worldOf(partsUnder(different)), Layer.succeed(References.MinimumLogLevel, "None"))

export const testKey = "test_key_0123456789_0123456789_0123"

/** JSON of an answer, for tests to take apart. */
export type Json = ReturnType<typeof JSON.parse>

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Null when there is none, or when it is no JSON. */
  readonly json: Json
}

export interface Sent {
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is, as JSON if the headers say nothing else. */
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

export type Call = (method: string, path: string, sent?: Sent) => Effect.Effect<Answered>

/** What a refusal says is wrong, in the order in which it says so. */
export const paths = ({ json }: { readonly json: Json }): ReadonlyArray<string> =>
  json.details.issues.map((issue: { readonly path: string }) => issue.path)

/** An id that nothing has. */
export const unknownId = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Requests with the test key to a web handler. */
const caller =
  (handler: (request: Request) => Promise<Response>) =>
  (method: string, path: string, sent: Sent = {}) =>
    Effect.promise(async (): Promise<Answered> => {
      const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json)
      const headers = {
        authorization: `Bearer ${testKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...sent.headers,
      }
      const response = await handler(
        new Request(`http://x${path}`, { method, headers, ...(body === undefined ? {} : { body }) }),
      )
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parsed(text) }
    })

/** Serves an API (`Api` with `handlers`, or a toy one) over the world, and answers how to call it. Scoped. */
export const serving = <Id extends string, Groups extends HttpApiGroup.Constraint, E, R>(
  api: HttpApi.HttpApi<Id, Groups>,
  handlers: Layer.Layer<HttpApiGroup.ToService<Id, Groups>, E, R>,
) => servingOver(world, api, handlers)

/** The same over another world. */
export const servingOver = <Out, WE, Id extends string, Groups extends HttpApiGroup.Constraint, E, R>(
  surroundings: Layer.Layer<Out | Workspaces, WE>,
  api: HttpApi.HttpApi<Id, Groups>,
  handlers: Layer.Layer<HttpApiGroup.ToService<Id, Groups>, E, R>,
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(surroundings)
    yield* Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: testKey })).pipe(Effect.provide(context))
    // What a world says of logs holds for its requests.
    const logs = Layer.succeed(References.MinimumLogLevel, Context.get(context, References.MinimumLogLevel))
    const served = Layer.merge(HttpApiBuilder.layer(api, { openapiPath: "/openapi.json" }), edge(routesOf(api)))
    const app = Layer.merge(served, logs).pipe(
      Layer.provide(handlers),
      Layer.provide(Layer.succeedContext(context)),
      Layer.provide(HttpServer.layerServices),
    )
    // What a caller's API needs beyond the world, the compiler says at the call.
    const { handler } = HttpRouter.toWebHandler(app as Layer.Layer<never, E>, { disableLogger: true })
    return { call: caller(handler), handler: (request: Request) => handler(request), context }
  })
