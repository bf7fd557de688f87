// The two listeners as they are, over memory: what goes over their sockets, byte by byte.
import { configuration } from "@tentpole/adapters/Configuration"
import { isAlias } from "@tentpole/core/tents/Alias"
import { Tents } from "@tentpole/core/tents/Tents"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { server } from "@tentpole/http/Server"
import type { WorkspaceId } from "@tentpole/core/Ids"
import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { type Context, Effect, Layer, Redacted, References } from "effect"
import { connect, createServer } from "node:net"
import { testKey, world } from "./World.ts"

/** Below those that the system gives to whoever asks for any, lest somebody is given it before it is listened on. */
const lowest_port = 20_000
const ports_count = 12_000

export const freePort: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const port = lowest_port + Math.floor(Math.random() * ports_count)
  const probe = createServer().once("error", () => resume(freePort))
  probe.listen(port, "127.0.0.1", () => probe.close(() => resume(Effect.succeed(port))))
})

/** Readiness alone asks the database, and nobody asks for it here. */
const noDatabase = PgClient.layer({ url: Redacted.make("postgres://nobody@127.0.0.1:9/none") })

/** Both listeners over what is there already. Scoped. */
export const listeningOver = Effect.fnUntraced(function* (
  context: Context.Context<Layer.Success<typeof world>>,
  environment: Readonly<Record<string, string>> = {},
) {
  const [api, pages] = [yield* freePort, yield* freePort]
  const ports = { PORT: String(api), PAGES_PORT: String(pages) }
  const config = yield* Effect.fromResult(configuration({ ...environment, ...ports }))
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const needed = Layer.mergeAll(Layer.succeedContext(context), noDatabase, quiet)
  yield* Layer.build(server(config).pipe(Layer.provide(needed)))
  return { api, pages }
})

/** A tent of the workspace, published at an alias; unpublished by the effect that is answered. */
export const published = Effect.fnUntraced(function* (workspace: WorkspaceId, alias: string, name = "n") {
  const tents = yield* Tents
  const prompt = `Build a website for ${name}`
  const asked = { name, prompt, includeBrand: false, autoPublish: false, assetIds: [] }
  const { id } = yield* tents.create(workspace, asked)
  yield* tents.generate(workspace, id)
  yield* tents.publish(workspace, id, { alias: isAlias(alias) ? alias : assert.fail(`${alias} is no alias`) })
  return Effect.asVoid(tents.unpublish(workspace, id))
})

/** Both listeners, and a workspace `default` to which the test key belongs. Scoped. */
export const listening = Effect.gen(function* () {
  const context = yield* Layer.build(world)
  const bootstrapped = Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: testKey }))
  const { workspace } = yield* Effect.provide(bootstrapped, context)
  return { ...(yield* listeningOver(context)), context, workspace: workspace.id }
})

/** Every byte that is answered to these on a connection of their own, but for the time of day. */
export const raw = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    const chunks: Array<Buffer> = []
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"))
    socket.on("data", (chunk) => chunks.push(chunk))
    // Who is refused while they send may lose the answer with the connection.
    socket.on("error", () => undefined)
    socket.once("close", () =>
      resume(
        Effect.succeed(
          Buffer.concat(chunks)
            .toString("latin1")
            .replace(/^Date: .*\r\n/m, ""),
        ),
      ),
    )
  })

/** The same to the head of a request, after which the connection is to end. */
export const rawHead = (port: number, ...lines: ReadonlyArray<string>) =>
  raw(port, `${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`)

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0)
