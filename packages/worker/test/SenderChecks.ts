// Running senders in tests, and what must hold whatever befell them: nobody has two, nothing is invented, counters agree.
import type { BlastId, WorkspaceId } from "@tentpole/core/Ids"
import { Settings } from "@tentpole/core/Settings"
import { Gates, type GateName } from "@tentpole/worker/Gates"
import type { SenderOptions } from "@tentpole/worker/Sender"
import { assert } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import type { Dot, Sink } from "./Sink.ts"
import { counts, quick, sender, settings, statusOf, written } from "./World.ts"

export const perRecipient = (dots: ReadonlyArray<Dot>): ReadonlyMap<string, number> => {
  const seen = new Map<string, number>()
  for (const { to } of dots) seen.set(to, (seen.get(to) ?? 0) + 1)
  return seen
}

/** I1: no recipient saw two dots whose reply was 2xx or never given. */
export const nobodyTwice = (server: Sink) => {
  const mayHaveIt = server.dots.filter(({ reply }) => reply === null || reply.startsWith("2"))
  for (const [to, count] of perRecipient(mayHaveIt)) assert.strictEqual(count, 1, `${to} has ${count}`)
}

/** I3, I5: what is called sent was accepted; every row is at its end; the counters are a recount. */
export const consistent = Effect.fnUntraced(function* (ws: WorkspaceId, blast: BlastId, server: Sink) {
  const accepted = new Set(server.dots.filter(({ reply }) => reply?.startsWith("2")).map(({ to }) => to))
  const rows = yield* written(ws, blast)
  for (const row of rows)
    if (row.state === "sent") assert.isTrue(accepted.has(row.email), `${row.email} is no invention`)
  const { states, tally } = yield* counts(ws, blast)
  const of = (...names: ReadonlyArray<string>) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0)
  assert.deepInclude(tally, {
    queued: of("queued", "claimed", "handed_over"),
    sent: of("sent"),
    failed: of("failed", "unconfirmed"),
    blocked: of("blocked"),
  })
})

export const atEnd = (ws: WorkspaceId, blast: BlastId) =>
  Effect.map(written(ws, blast), (rows) =>
    rows.every((row) => !["queued", "claimed", "handed_over"].includes(row.state)),
  )

export const isSent = (ws: WorkspaceId, blast: BlastId) =>
  Effect.map(statusOf(ws, blast), (row) => row?.status === "sent")

/** A sender that stops with the test, or before. */
export const running = Effect.fnUntraced(function* (
  server: Pick<Sink, "port">,
  { gates = () => Effect.void, options = quick, sending = "on" }: Partial<Circumstances> = {},
) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  yield* sender(server.port, options).pipe(
    Effect.provideService(Gates, gates),
    Effect.provideService(Settings, Settings.of({ ...settings, sending })),
    Scope.provide(scope),
  )
  return Scope.close(scope, Exit.void)
})

interface Circumstances {
  readonly gates: (name: GateName) => Effect.Effect<void>
  readonly options: SenderOptions
  readonly sending: "on" | "held"
}

/** A lease that a test waits for to run out. */
const soonOver: SenderOptions = { ...quick, lease_ms: 2500 }

/** A sender that comes to a gate and not past it, as if it were frozen there, until it is thawed. It renews no lease. */
export const freezing = Effect.fnUntraced(function* (server: Sink, gate: GateName, options = soonOver) {
  const reached = yield* Deferred.make<void>()
  const thaw = yield* Deferred.make<void>()
  const gates = (name: GateName) =>
    name === gate ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(thaw)) : Effect.void
  const stop = yield* running(server, { gates, options: { ...options, renew_every_ms: 3_600_000 } })
  yield* Effect.addFinalizer(() => Deferred.succeed(thaw, undefined))
  yield* Deferred.await(reached)
  return { stop, thaw: Deferred.succeed(thaw, undefined) }
})

/** Far more than a test takes on a machine of its own. */
export const patience_ms = 120_000
