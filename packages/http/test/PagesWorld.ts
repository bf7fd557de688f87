// The pages' listener over a world of use cases, without a socket: how to publish, how to visit, what came of it.
import * as Pages from "@tentpole/http/pages/Pages"
import * as VisitorAgents from "@tentpole/http/pages/VisitorAgents"
import { eventually } from "@tentpole/core/contract"
import type { TentId, WorkspaceId } from "@tentpole/core/Ids"
import { type Alias, isAlias } from "@tentpole/core/tents/Alias"
import { PublishedPages } from "@tentpole/core/tents/PublishedPages"
import { Tents } from "@tentpole/core/tents/Tents"
import { Traffic } from "@tentpole/core/traffic/Traffic"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { postgresWorld } from "./PostgresWorld.ts"
import { testKey, world } from "./World.ts"

export const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

export const alias = (text: string): Alias => (isAlias(text) ? text : assert.fail(`${text} is no alias`))

export interface Visit {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>
}

/** What both worlds have, the one in memory and the one on PostgreSQL. */
type Parts = Extract<Layer.Success<typeof world>, Layer.Success<typeof postgresWorld>>

interface Authored {
  /** What an author would have written otherwise. */
  readonly authored?: (html: string) => string
}

/** The pages over what is there already, and how often they were read. Scoped. */
export const servedBy = Effect.fnUntraced(function* (
  context: Context.Context<Parts>,
  ws: WorkspaceId,
  { authored = (html) => html, ...options }: Partial<Pages.PagesOptions> & Authored = {},
) {
  const get = <Id, Service>(service: Context.Key<Id, Service>) => Context.getUnsafe(context, service)
  const source = get(PublishedPages)
  let reads = 0
  const counting = Layer.succeed(
    PublishedPages,
    PublishedPages.of({
      ...source,
      page: (of, address) => {
        reads++
        return Effect.map(source.page(of, address), (page) => page && { ...page, html: authored(page.html) })
      },
    }),
  )
  const recorder = ViewRecorder.layer({ batch_max: 100, wait_max_ms: 10, waiting_max: 1_000 }).pipe(
    Layer.provide(VisitorAgents.layer),
  )
  const app = Pages.layer({ trustedProxies: [], ...options }).pipe(
    Layer.provide(Layer.merge(counting, recorder)),
    Layer.provide(Layer.succeedContext(context)),
    Layer.provide(HttpServer.layerServices),
  )
  const { handler, dispose } = HttpRouter.toWebHandler(app, { disableLogger: true })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const visit = (url: string, { method = "GET", headers = {}, body }: Visit = {}) =>
    Effect.promise(async () => {
      const { host } = new URL(url)
      const asked = {
        method,
        headers: { host, "user-agent": chrome, ...headers },
        ...(body === undefined ? {} : { body }),
      }
      const response = await handler(new Request(url, asked))
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, bytes, text: bytes.toString("utf8") }
    })
  const tents = get(Tents)
  const publish = Effect.fnUntraced(function* (id: TentId, text: string | null) {
    const { url } = yield* tents.publish(ws, id, { alias: text === null ? null : alias(text) })
    return { id, url: url ?? assert.fail("it is not published") }
  })
  const live = Effect.fnUntraced(function* (text: string | null, prompt = "Build a website for a bakery") {
    const asked = { name: "n", prompt, includeBrand: true, autoPublish: false, assetIds: [] }
    const { id } = yield* tents.create(ws, asked)
    yield* tents.generate(ws, id)
    return yield* publish(id, text)
  })
  const views = (id: string, expected: number) =>
    eventually(get(Traffic).ofTent(ws, id, 1), (report) => report.views >= expected)
  return { get, ws, visit, tents, live, views, reads: () => reads }
})

/** The pages of a workspace `default`, over a world. */
export const servedOver = Effect.fnUntraced(function* <E>(
  over: Layer.Layer<Parts, E>,
  options: Partial<Pages.PagesOptions> & Authored = {},
) {
  const context = yield* Layer.build(over)
  yield* Context.get(context, Workspaces).bootstrap({ apiKey: testKey })
  const [workspace] = yield* Context.getUnsafe(context, WorkspaceStore).all
  return yield* servedBy(context, workspace?.id ?? assert.fail("no workspace"), options)
})

export const served = servedOver(world)
