// Tests of the sender's fair order of workspaces and of send rate limits.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { consistent, freezing, isSent, noneTwice, patience_ms, running } from "../fixtures/SenderChecks.ts"
import { fakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { quick, sendingBlast, until, workspace, workspaceWith, world } from "../fixtures/WorkerFixture.ts"

const tokenIn = (workspace: WorkspaceId) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    fenced(sql)(
      workspace,
      sql<{
        readonly token: bigint | null
      }>`select max(token) as token from (
          select token from delivery where workspace_id = ${workspace}
          union all select token from delivery_queue where workspace_id = ${workspace}) as claims`,
    ).pipe(
      Effect.map(([row]) => Number(row?.token ?? 0)),
      Effect.orDie,
    ),
  )

layer(world, { excludeTestServices: true })("the sender's pace", (it) => {
  it.effect(
    "a hundred messages do not wait behind a thousand of another workspace",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { pause_ms: 30 } })
        const [much, little] = [yield* workspace, yield* workspace]
        yield* sendingBlast(much, 1200, { prefix: "much" })
        yield* running(server, { options: { ...quick, claim_batch_max: 500 } })
        const countOf = (prefix: string) => server.messages.filter(({ to }) => to.startsWith(prefix)).length
        yield* until(Effect.sync(() => countOf("much") >= 100))
        const blast = yield* sendingBlast(little, 100, { prefix: "little" })
        const before = countOf("much")
        yield* until(Effect.sync(() => countOf("little") === 100))
        const last = server.messages.findLastIndex(({ to }) => to.startsWith("little"))
        const between = server.messages.slice(0, last).filter(({ to }) => to.startsWith("much")).length - before
        // Their own messages in turn, plus those in flight before the second workspace was noticed.
        assert.isAtMost(between, 400)
        yield* until(isSent(little, blast))
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "several senders under limits send each recipient one message",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspace = yield* workspaceWith({ sendingPerSecond: 200, sendingPerDomainPerSecond: 100 })
        const blast = yield* sendingBlast(workspace, 150)
        yield* running(server)
        yield* running(server)
        yield* until(isSent(workspace, blast))
        noneTwice(server)
        assert.strictEqual(server.messages.length, 150)
        yield* consistent(workspace, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "a message with an expired permit is released, loses no attempt, and waits for another permit",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspace = yield* workspaceWith({ sendingPerSecond: 1 })
        const blast = yield* sendingBlast(workspace, 1)
        // The lease is still valid: only the permit keeps the message from being sent.
        const frozen = yield* freezing(server, "after-claim", quick)
        const first = yield* tokenIn(workspace)
        yield* Effect.sleep(Pace.permit_ms + 100)
        yield* frozen.thaw
        yield* until(isSent(workspace, blast))
        assert.isAbove(yield* tokenIn(workspace), first)
        assert.strictEqual(server.messages.length, 1)
        yield* consistent(workspace, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )
})
