// Tests of the sender with faults: crashes and stops at every gate, refusals, closed connections, an unreachable database.
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { OutgoingMail } from "@tentpole/core/sending/OutgoingMail"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import type { GateName } from "@tentpole/worker/Gates"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { atEnd, consistent, freezing, isSent, noneTwice, patience_ms, running } from "../fixtures/SenderChecks.ts"
import { fakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import type { Act } from "@tentpole/adapters/test/FakeSmtpScript"
import {
  counts,
  quick,
  sendingBlast,
  settings,
  statusOf,
  until,
  workspace,
  world,
  written,
} from "../fixtures/WorkerFixture.ts"

layer(world, { excludeTestServices: true })("the sender with faults", (it) => {
  for (const gate of [
    "after-claim",
    "before-intent",
    "after-intent",
    "before-settle",
  ] as const satisfies ReadonlyArray<GateName>) {
    it.effect(
      `a crash or stop at the gate ${gate} sends no message twice and loses no recipient`,
      () =>
        Effect.gen(function* () {
          const server = yield* fakeSmtp()
          const workspaceId = yield* workspace
          const blast = yield* sendingBlast(workspaceId, 60)
          const frozen = yield* freezing(server, gate)
          yield* running(server)
          yield* until(isSent(workspaceId, blast))
          noneTwice(server)
          yield* consistent(workspaceId, blast, server)
          const { states } = yield* counts(workspaceId, blast)
          const bound = settings.smtpConnections + quick.settle_batch_max
          assert.isAtMost(states["unconfirmed"] ?? 0, gate === "after-claim" || gate === "before-intent" ? 0 : bound)
          assert.strictEqual((states["sent"] ?? 0) + (states["unconfirmed"] ?? 0), 60)
          // It was only stopped: its late writes change nothing, and its outcomes count.
          yield* frozen.thaw
          yield* Effect.sleep("200 millis")
          yield* frozen.stop
          noneTwice(server)
          yield* consistent(workspaceId, blast, server)
          assert.notProperty((yield* counts(workspaceId, blast)).states, "unconfirmed")
        }).pipe(Effect.scoped),
      patience_ms,
    )
  }

  it.effect(
    "each refusal settles its message by the code of the reply",
    () =>
      Effect.gen(function* () {
        const acts = new Map<string, Act>([
          ["rcpt person1", 550],
          ["rcpt person2", 451],
          ["rcpt person3", 554],
          ["dot person4", 552],
          ["dot person5", 451],
          ["dot person6", "cut"],
        ])
        const server = yield* fakeSmtp({ script: (stage, { to }) => acts.get(`${stage} ${to.split("@")[0]}`) })
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 8)
        yield* running(server)
        const settled = Effect.map(written(workspaceId, blast), (rows) =>
          rows.every((row) => row.state !== "queued" || row.attempts > 0),
        )
        yield* until(
          Effect.map(
            Effect.all([settled, counts(workspaceId, blast)]),
            ([all, { states }]) => all && states["claimed"] === undefined && states["handed_over"] === undefined,
          ),
        )
        const rows = new Map((yield* written(workspaceId, blast)).map((row) => [row.email.split("@")[0], row]))
        assert.deepInclude(rows.get("person1"), { state: "failed", reason: "hard_bounce" })
        assert.deepInclude(rows.get("person2"), { state: "queued", attempts: 1 })
        assert.deepInclude(rows.get("person3"), { state: "failed", reason: "refused" })
        assert.deepInclude(rows.get("person4"), { state: "failed", reason: "refused" })
        assert.deepInclude(rows.get("person5"), { state: "queued", attempts: 1 })
        assert.deepInclude(rows.get("person6"), { state: "unconfirmed", reason: "unconfirmed" })
        assert.deepInclude(rows.get("person7"), { state: "sent" })
        assert.deepInclude(rows.get("person8"), { state: "sent" })
        noneTwice(server)
        yield* consistent(workspaceId, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "messages without a reply before the sender has to stop are unconfirmed",
    () =>
      Effect.gen(function* () {
        let count = 0
        const server = yield* fakeSmtp({
          behaviour: { pause_ms: 100 },
          script: (stage) => (stage === "dot" && ++count > 5 ? "silent" : undefined),
        })
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 40)
        const stop = yield* running(server, { options: { ...quick, grace_ms: 300 } })
        yield* until(Effect.sync(() => server.messages.length >= 5 + settings.smtpConnections))
        yield* stop
        const { states } = yield* counts(workspaceId, blast)
        assert.deepStrictEqual(states, { sent: 5, unconfirmed: 8, queued: 27 })
        yield* consistent(workspaceId, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "hands nothing over while the database is unreachable, and sends nothing twice afterwards",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 60)
        const store = yield* DeliveryStore
        const times = { grant: 3, settle: 3, release: 2 }
        const failing = <A, R>(
          verb: keyof typeof times,
          write: Effect.Effect<A, never, R>,
        ): Effect.Effect<A, never, R> =>
          Effect.suspend(() => (times[verb]-- > 0 ? Effect.die(new Unavailable({ part: "database" })) : write))
        const moody = DeliveryStore.of({
          ...store,
          // The second write succeeds, but its answer is lost.
          grant: (...asked) =>
            times.grant === 2
              ? Effect.andThen(store.grant(...asked), failing("grant", Effect.die("unreachable")))
              : failing("grant", store.grant(...asked)),
          settle: (...outcomes) => failing("settle", store.settle(...outcomes)),
          release: (...back) => failing("release", store.release(...back)),
        })
        yield* running(server).pipe(Effect.provideService(DeliveryStore, moody))
        yield* until(isSent(workspaceId, blast))
        noneTwice(server)
        assert.deepStrictEqual((yield* counts(workspaceId, blast)).states, { sent: 60 })
        assert.isTrue((yield* written(workspaceId, blast)).every((row) => row.attempts === 0))
        assert.isTrue(
          Object.values(times).every((left) => left < 0),
          "every fault occurred",
        )
        yield* consistent(workspaceId, blast, server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "sends the messages of other workspaces while the node of one is dead",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { pause_ms: 5 } })
        const [dying, living] = [yield* workspace, yield* workspace]
        const theirs = yield* sendingBlast(dying, 120, { prefix: "dying" })
        const others = yield* sendingBlast(living, 150, { prefix: "living" })
        const sentTo = (prefix: string) => server.messages.filter(({ to }) => to.startsWith(prefix)).length
        let isDead = false
        const ifAlive =
          <Rest extends ReadonlyArray<unknown>, A, R>(
            call: (workspace: WorkspaceId, ...rest: Rest) => Effect.Effect<A, never, R>,
          ) =>
          (of: WorkspaceId, ...rest: Rest) =>
            Effect.suspend(() =>
              isDead && of === dying ? Effect.die(new Unavailable({ part: "database" })) : call(of, ...rest),
            )
        const store = yield* DeliveryStore
        const { claim, claimMessages, endTurn, grant, release, renew, settle, sweep } = store
        yield* running(server, { options: { ...quick, renew_every_ms: 50 } }).pipe(
          Effect.provideService(DeliveryStore, {
            ...store,
            claim: ifAlive(claim),
            claimMessages: ifAlive(claimMessages),
            endTurn: ifAlive(endTurn),
            grant: ifAlive(grant),
            release: ifAlive(release),
            renew: ifAlive(renew),
            settle: ifAlive(settle),
            sweep: ifAlive(sweep),
          }),
        )
        yield* until(Effect.sync(() => sentTo("dying") >= 40))
        isDead = true
        yield* until(isSent(living, others))
        assert.isBelow(sentTo("dying"), 120, "its messages waited")
        isDead = false
        yield* until(isSent(dying, theirs))
        noneTwice(server)
        for (const [workspaceId, blast] of [
          [dying, theirs],
          [living, others],
        ] as const) {
          assert.notProperty((yield* counts(workspaceId, blast)).states, "unconfirmed")
          yield* consistent(workspaceId, blast, server)
        }
      }).pipe(Effect.scoped),
    patience_ms,
  )

  // Half a minute, because the pauses after a refused connection double.
  it.effect.skipIf(process.env["SAMPLE"] !== undefined)(
    "a server with a limit of one connection and three messages per connection gets all messages",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp({ behaviour: { connections_max: 1, messages_max: 3 } })
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 12)
        yield* running(server)
        yield* until(isSent(workspaceId, blast))
        noneTwice(server)
        assert.strictEqual(server.messages.length, 12)
        assert.isTrue((yield* written(workspaceId, blast)).every((row) => row.state === "sent"))
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "an unreachable mail server costs no attempts",
    () =>
      Effect.gen(function* () {
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 60)
        const stop = yield* running({ port: 1 })
        yield* until(Effect.map(written(workspaceId, blast), (now) => now.some((row) => row.attempts > 0)))
        yield* Effect.sleep("300 millis")
        yield* stop
        const rows = yield* written(workspaceId, blast)
        assert.isTrue(rows.every((row) => row.state === "queued"))
        // Each SMTP worker tries once, then one at a time with doubled pauses: five more take a quarter of a minute.
        assert.isAtMost(rows.filter((row) => row.attempts > 0).length, settings.smtpConnections + 5)
        const server = yield* fakeSmtp()
        yield* running(server)
        yield* until(
          Effect.map(written(workspaceId, blast), (now) =>
            now.filter((row) => row.attempts === 0).every((row) => row.state === "sent"),
          ),
        )
        noneTwice(server)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "an unverified sending domain fails the blast once",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 20, { from: "news@elsewhere.test" })
        yield* running(server)
        yield* until(atEnd(workspaceId, blast))
        assert.deepStrictEqual(yield* statusOf(workspaceId, blast), {
          status: "failed",
          failure: "sender_domain_unverified",
        })
        assert.isTrue(
          (yield* written(workspaceId, blast)).every((row) => row.state === "failed" && row.reason === "blast_failed"),
        )
        assert.isEmpty(server.messages)
      }).pipe(Effect.scoped),
    patience_ms,
  )

  it.effect(
    "an error before the hand-over counts as an attempt, so that it is not retried forever",
    () =>
      Effect.gen(function* () {
        const server = yield* fakeSmtp()
        const workspaceId = yield* workspace
        const blast = yield* sendingBlast(workspaceId, 10)
        const broken = OutgoingMail.of({ render: () => Effect.die("a defect") })
        yield* running(server).pipe(Effect.provideService(OutgoingMail, broken))
        yield* until(Effect.map(written(workspaceId, blast), (rows) => rows.every((row) => row.attempts > 0)))
        yield* Effect.sleep("200 millis")
        assert.isTrue((yield* written(workspaceId, blast)).every((row) => row.state === "queued" && row.attempts === 1))
        assert.isEmpty(server.recipients)
      }).pipe(Effect.scoped),
    patience_ms,
  )
})
