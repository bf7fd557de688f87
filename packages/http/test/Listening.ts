// Both listeners on sockets, over a world, and a page that is published there.
import { configuration } from "@tentpole/adapters/Configuration"
import { isAlias } from "@tentpole/core/tents/Alias"
import { Tents } from "@tentpole/core/tents/Tents"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { server } from "@tentpole/http/Server"
import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { type Context, Effect, Layer, Redacted } from "effect"
import { createServer } from "node:net"
import { testKey, type world } from "./World.ts"

/** Readiness alone asks the database, and nobody asks for it here. */
const noDatabase = PgClient.layer({ url: Redacted.make("postgres://nobody@127.0.0.1:9/none") })

/** Below those that the system gives to whoever asks for any, lest somebody is given it before it is listened on. */
const lowest_port = 20_000
const ports_count = 12_000

const freePort: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const port = lowest_port + Math.floor(Math.random() * ports_count)
  const probe = createServer().once("error", () => resume(freePort))
  probe.listen(port, "127.0.0.1", () => probe.close(() => resume(Effect.succeed(port))))
})

/** The ports of the API and of the pages. Scoped. */
export const listening = Effect.fnUntraced(function* (context: Context.Context<Layer.Success<typeof world>>) {
  const [api, pages] = [yield* freePort, yield* freePort]
  const config = yield* Effect.fromResult(configuration({ PORT: String(api), PAGES_PORT: String(pages) }))
  yield* Layer.build(server(config).pipe(Layer.provide(Layer.succeedContext(context)), Layer.provide(noDatabase)))
  return { api, pages }
})

/** Publishes a page at `/bakery` of the workspace `default`; answers how to take it down. */
export const bakery = Effect.gen(function* () {
  const tents = yield* Tents
  const { workspace } = yield* (yield* Workspaces).bootstrap({ apiKey: testKey })
  const asked = { name: "n", prompt: "Build a website", includeBrand: false, autoPublish: false, assetIds: [] }
  const { id } = yield* tents.create(workspace.id, asked)
  yield* tents.generate(workspace.id, id)
  const alias = "bakery"
  yield* tents.publish(workspace.id, id, { alias: isAlias(alias) ? alias : assert.fail() })
  return tents.unpublish(workspace.id, id)
})
