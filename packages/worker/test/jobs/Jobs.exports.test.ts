// Tests of export jobs of lists: in the queue on PostgreSQL, with stopped workers, and on a test clock.
import * as FakeAi from "@tentpole/adapters/ai/fake/FakeAi"
import * as Cleaner from "@tentpole/adapters/ai/html/SanitizeHtml"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as SecretsAdapter from "@tentpole/adapters/crypto/Secrets"
import { OidcProvider } from "@tentpole/core/accounts/oidc/OidcProvider"
import * as PasskeyVerifier from "@tentpole/adapters/crypto/PasskeyVerifier"
import * as PasswordHasher from "@tentpole/adapters/crypto/PasswordHasher"
import * as Signatures from "@tentpole/adapters/crypto/Signatures"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import * as Memory from "@tentpole/adapters/memory/All"
import * as MemoryBlobs from "@tentpole/adapters/memory/ports/BlobStore"
import * as Dns from "@tentpole/adapters/memory/ports/Dns"
import * as MemoryJobs from "@tentpole/adapters/memory/kernel/Jobs"
import * as Sns from "@tentpole/adapters/sns/Sns"
import { BlobStore, BlobUnavailable } from "@tentpole/core/ports/BlobStore"
import { concat, decodeText } from "@tentpole/core/kernel/Bytes"
import { newContact } from "@tentpole/core/contacts/ContactPatch"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import { Fresh } from "@tentpole/core/contract"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { type Export, exportKey, isPending } from "@tentpole/core/exports/Export"
import { Exports } from "@tentpole/core/exports/Exports"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Lists } from "@tentpole/core/lists/Lists"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { productUseCases, useCases } from "@tentpole/core/Tentpole"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DueWatch } from "@tentpole/worker/DueWatch"
import { attempts_to_work } from "@tentpole/worker/jobs/Jobs"
import * as Jobs from "@tentpole/worker/jobs/Jobs"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Exit, Fiber, Layer, Redacted, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { settings, world } from "../fixtures/WorkerFixture.ts"

/** A put that reports its start and waits before its end. */
interface Slow {
  readonly begun: Deferred.Deferred<void>
  readonly go: Deferred.Deferred<void>
}
const slowly = Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([begun, go]): Slow => ({
  begun,
  go,
}))

/** The current state of the file store. */
class Weather extends Context.Service<Weather, { put: "well" | "away" | Slow }>()("test/Weather") {
  static readonly layer = Layer.sync(Weather, () => ({ put: "well" as const }))
}

/** Files in memory, in a store that works, fails or waits. */
const blobs = Layer.effect(
  BlobStore,
  Effect.gen(function* () {
    const inner = yield* BlobStore
    const weather = yield* Weather
    return BlobStore.of({
      ...inner,
      put: (key, bytes, options) => {
        const { put } = weather
        if (put === "well") return inner.put(key, bytes, options)
        if (put === "away") return Effect.fail(new BlobUnavailable({ cause: "away" }))
        const reported = Stream.tap(bytes, () => Deferred.succeed(put.begun, undefined))
        const waiting = Stream.drain(Stream.fromEffect(Deferred.await(put.go)))
        return inner.put(key, Stream.concat(reported, waiting), options)
      },
    })
  }),
).pipe(Layer.provide(MemoryBlobs.layer), Layer.provideMerge(Weather.layer))

const noMail = Layer.succeed(MailConnections, MailConnections.of({ open: Effect.die("this test sends no mail") }))
const signed = Layer.mergeAll(
  Layer.mock(OidcProvider, {}),
  PasskeyVerifier.layer,
  PasswordHasher.layer,
  Signatures.layer,
  Sns.layer(),
)
const around = Layer.mergeAll(blobs, Csv.layer, FakeAi.layer, Cleaner.layer, Dns.layer(), noMail, signed)

const onPostgres = useCases.pipe(Layer.provideMerge(world), Layer.provideMerge(around))

const onMemory = Layer.mergeAll(productUseCases, Layer.mock(Administration, {}), Fresh.layer).pipe(
  Layer.provideMerge(Memory.stores),
  Layer.provideMerge(MemoryJobs.layer()),
  // The test clock goes forward by a day: by default the worker would look for jobs 432,000 times.
  Layer.provideMerge(Layer.succeed(DueWatch, { await: () => Effect.sleep("1 minute") })),
  Layer.provideMerge(around),
  Layer.provideMerge(
    Layer.mergeAll(
      Ids.layer,
      DkimSigner.layer,
      Layer.succeed(Settings, Settings.of(settings)),
      SecretsAdapter.layer({ secret: Redacted.make("a secret for tests, long enough"), previous: null }),
    ),
  ),
  Layer.provideMerge(Memory.database),
)

/** A list of three contacts, and an export of it that is not started. */
const begin = Effect.gen(function* () {
  const [fresh, exports, store] = [yield* Fresh, yield* Exports, yield* BlobStore]
  const workspace = yield* fresh.workspace()
  const ids = (yield* Effect.all([fresh.id, fresh.id, fresh.id])).map((id) => ContactId.make(id))
  const now = yield* DateTime.now
  const contacts = ids.map((id) => {
    return { before: null, after: newContact(id, { email: parseEmail(`${id}@example.com`) }, "api", now), at: now }
  })
  yield* (yield* Transactor).transact((yield* ContactStore).apply(workspace, ContactsChange.of(contacts)))
  const draft = { name: "Spring", kind: "static", description: null, contactIds: ids } as const
  const { list } = yield* (yield* Lists).create(workspace, draft)
  const { id } = yield* exports.create(workspace, { kind: "list", listId: list.id, excludeUnsubscribed: false })
  const found = Effect.map(exports.get(workspace, { kind: "list", listId: list.id }, id), ({ record }) => record)
  const file = Effect.map(Stream.runCollect(store.get(exportKey(workspace, "list", id))), (parts) =>
    decodeText(concat(parts)),
  )
  const job = { type: "list_export", workspaceId: workspace, exportId: id } as const
  return { workspace, ids, id, found, file, job }
})

/** Runs a worker's jobs until the scope closes. */
const worker = (scope: Scope.Scope) => Layer.buildWithScope(Layer.fresh(Jobs.layer), scope)

const ended = <E>(found: Effect.Effect<Export, E>) =>
  found.pipe(Effect.delay("50 millis"), Effect.repeat({ until: (it) => !isPending(it) }))

layer(onPostgres, { excludeTestServices: true })("export jobs on PostgreSQL", (it) => {
  it.effect("a worker writes one export after another", () =>
    Effect.gen(function* () {
      yield* worker(yield* Effect.scope)
      for (let time = 0; time < 2; time++) {
        const { ids, found, file } = yield* begin
        assert.deepInclude(yield* ended(found), { status: "completed", rowCount: 3 })
        const [header = "", ...rows] = (yield* file).split("\r\n")
        assert.match(header, /^contact_id,display_name,/)
        assert.deepStrictEqual(
          rows.map((row) => row.slice(0, 36)),
          [...[...ids].sort(), ""],
        )
      }
    }),
  )

  it.effect("an export of a stopped worker is run again and is complete", () =>
    Effect.gen(function* () {
      const weather = yield* Weather
      weather.put = yield* slowly
      const { begun } = weather.put
      const { found, file } = yield* begin
      const first = yield* Scope.make()
      yield* worker(first)
      yield* Deferred.await(begun)
      assert.strictEqual((yield* found).status, "running")
      yield* Scope.close(first, Exit.void)
      weather.put = "well"
      assert.strictEqual((yield* found).status, "running")
      yield* worker(yield* Effect.scope)
      assert.deepInclude(yield* ended(found), { status: "completed", rowCount: 3 })
      assert.strictEqual((yield* file).split("\r\n").length, 5)
    }),
  )
})

layer(onMemory)("export jobs on a test clock", (it) => {
  it.effect("file and row of an export are deleted a day after its end", () =>
    Effect.gen(function* () {
      yield* worker(yield* Effect.scope)
      const { found, file } = yield* begin
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* found).status, "completed")
      yield* TestClock.adjust("23 hours")
      assert.include(yield* file, "@example.com")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Effect.flip(found))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(file))._tag, "BlobNotFound")
    }),
  )

  it.effect("an export that is deleted while it is written leaves no file", () =>
    Effect.gen(function* () {
      const weather = yield* Weather
      weather.put = yield* slowly
      const { begun, go } = weather.put
      const { workspace, id, file } = yield* begin
      const exports = yield* Exports
      const run = yield* Effect.forkChild(exports.run(workspace, id))
      yield* Deferred.await(begun)
      yield* exports.expire(workspace, "list", id)
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(run)
      assert.strictEqual((yield* Effect.flip(file))._tag, "BlobNotFound")
      weather.put = "well"
    }),
  )

  it.effect("an export fails with a reason at the last attempt, not before", () =>
    Effect.gen(function* () {
      const weather = yield* Weather
      weather.put = "away"
      const { found, job } = yield* begin
      const attempted = (attempt: number) =>
        Effect.exit(Jobs.handlers.list_export(job, { id: "list_export:x", attempt }))
      for (const attempt of [1, attempts_to_work - 1]) {
        assert.isTrue(Exit.isFailure(yield* attempted(attempt)))
        assert.strictEqual((yield* found).status, "running")
      }
      assert.isTrue(Exit.isFailure(yield* attempted(attempts_to_work)))
      const failed = yield* found
      assert.match(failed.status === "failed" ? failed.error : "", /^The export failed .*\. Start another one$/)
      weather.put = "well"
      assert.isTrue(Exit.isSuccess(yield* attempted(attempts_to_work)))
      assert.deepStrictEqual(yield* found, failed)
    }),
  )
})
