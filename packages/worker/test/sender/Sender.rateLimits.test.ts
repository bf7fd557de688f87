// How a sender shares its connections: a workspace with much to send leaves room for one with little, and what is held to a
// pace is sent when its permit is good, or not yet.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/postgres/kernel/Postgres"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { consistent, freezing, isSent, nobodyTwice, patience_ms, running } from "../fixtures/SenderChecks.ts"
import { sink } from "../fixtures/MailServer.ts"
import { quick, sendingBlast, until, workspace, workspaceWith, world } from "../fixtures/WorkerFixture.ts"

const tokenIn = (ws: WorkspaceId) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    fenced(sql)(
      ws,
      sql<{ readonly token: bigint | null }>`select max(token) as token from delivery where workspace_id = ${ws}`,
    ).pipe(
      Effect.map(([row]) => Number(row?.token ?? 0)),
      Effect.orDie,
    ),
  )

layer(world, { excludeTestServices: true })("the sender's pace", (it) => {
  it.effect(
    "a hundred messages don't wait behind a thousand of another workspace",
    () =>
      Effect.gen(function* () {
        const server = yield* sink({ dot: () => ({ reply: "250 2.0.0 ok", after_ms: 30 }) })
        const [much, little] = [yield* workspace, yield* workspace]
        yield* sendingBlast(much, 1200, { prefix: "much" })
        yield* running(server, { options: { ...quick, claim_batch_max: 500 } })
        const dotsOf = (prefix: string) => server.dots.filter(({ to }) => to.startsWith(prefix)).length
        yield* until(Effect.sync(() => dotsOf("much") >= 100))
        const blast = yield* sendingBlast(little, 100, { prefix: "little" })
        const before = dotsOf("much")
        yield* until(Effect.sync(() => dotsOf("little") === 100))
        const last = server.dots.findLastIndex(({ to }) => to.startsWith("little"))
        const between = server.dots.slice(0, last).filter(({ to }) => to.startsWith("much")).length - before
        // One for one, and what was in hand or went out while the others were being noticed.
        assert.isAtMost(between, 300)
        yield* until(isSent(little, blast))
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "with limits everybody gets one message all the same, from several senders",
    () =>
      Effect.gen(function* () {
        const server = yield* sink()
        const ws = yield* workspaceWith({ sendingPerSecond: 400, sendingPerDomainPerSecond: 200 })
        const blast = yield* sendingBlast(ws, 300)
        yield* running(server)
        yield* running(server)
        yield* until(isSent(ws, blast))
        nobodyTwice(server)
        assert.strictEqual(server.dots.length, 300)
        yield* consistent(ws, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "a message whose permit is over is not sent on it: it goes back, loses no try, and waits for another one",
    () =>
      Effect.gen(function* () {
        const server = yield* sink()
        const ws = yield* workspaceWith({ sendingPerSecond: 1 })
        const blast = yield* sendingBlast(ws, 1)
        // Leases hold all the while: that it is not sent is the permit's doing.
        const frozen = yield* freezing(server, "after-claim", quick)
        const first = yield* tokenIn(ws)
        yield* Effect.sleep(Pace.permit_ms + 100)
        yield* frozen.thaw
        yield* until(isSent(ws, blast))
        assert.isAbove(yield* tokenIn(ws), first)
        assert.strictEqual(server.dots.length, 1)
        yield* consistent(ws, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )
})
