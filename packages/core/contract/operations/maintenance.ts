// Contract tests of housekeeping.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { AuditLog } from "../../src/kernel/changes/AuditLog.ts"
import type { ContactStore } from "../../src/contacts/ContactStore.ts"
import { IdempotencyStore } from "../../src/operations/idempotency/IdempotencyStore.ts"
import { commonSettings } from "../../src/kernel/Settings.ts"
import { Maintenance } from "../../src/ports/Maintenance.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { at, begin, email } from "../contacts/contactWorld.ts"
import { Fresh } from "../kernel/fresh.ts"
import { eventsOf } from "../contacts/notifications.ts"

/** Retains everything for ever. */
const forGood = commonSettings.retention

export const maintenance = <E>(
  name: string,
  live: Layer.Layer<Maintenance | ContactStore | AuditLog | IdempotencyStore | Outbox | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`Maintenance (${name})`, (it) => {
    it.effect("deletes once when four run at the same time, and retains recent rows", () =>
      Effect.gen(function* () {
        const tidy = (yield* Maintenance).run(forGood)
        const outbox = yield* Outbox
        const { transact } = yield* Transactor
        const workspace = yield* (yield* Fresh).workspace()
        const event = { type: "x", contactId: null, at: DateTime.makeUnsafe(0), data: {} }
        yield* transact(outbox.append(workspace, [event]))
        yield* Effect.all([tidy, tidy, tidy, tidy], { concurrency: 4 })
        yield* tidy
        assert.strictEqual((yield* eventsOf(workspace)).length, 1)
      }),
    )

    it.effect("retains idempotency keys until they expire", () =>
      Effect.gen(function* () {
        const keys = yield* IdempotencyStore
        const { transact } = yield* Transactor
        const fresh = yield* Fresh
        const workspace = yield* fresh.workspace()
        const claim = { holder: yield* fresh.id, lease_ms: 3_600_000, retention_ms: 3_600_000, bodyHash: null }
        const claimed = transact(keys.claim(workspace, new Uint8Array(32), claim))
        yield* claimed
        yield* (yield* Maintenance).run(forGood)
        assert.strictEqual((yield* claimed)._tag, "Running")
      }),
    )

    it.effect("deletes old timeline entries where a limit is set, and retains contacts and recent entries", () =>
      Effect.gen(function* () {
        const { add, set, store, workspace } = yield* begin
        const { run } = yield* Maintenance
        const now = yield* DateTime.now
        const ann = yield* add({ email: email("ann@x.test") }, at(1_234))
        yield* set(ann, { firstName: "Ann" }, DateTime.subtract(now, { hours: 1 }))
        const timeline = Effect.map(
          store.activities(workspace, ann.id, { page: 1, limit: 10, order: "asc" }),
          ({ items }) => items.map(({ type }) => type),
        )
        yield* run(forGood)
        assert.deepStrictEqual(yield* timeline, ["contact_created", "contact_updated"])
        yield* run({ ...forGood, activity_days: 30 })
        assert.deepStrictEqual(yield* timeline, ["contact_updated"])
        assert.strictEqual((yield* store.get(workspace, ann.id)).firstName, "Ann")
      }),
    )

    it.effect("retains audit entries below the minimum age, whatever limit is given", () =>
      Effect.gen(function* () {
        const { run } = yield* Maintenance
        const audit = yield* AuditLog
        const { transact } = yield* Transactor
        const workspaceId = yield* (yield* Fresh).workspace()
        yield* transact(audit.append([{ workspaceId, action: "workspace.updated", target: workspaceId, details: {} }]))
        yield* run({ ...forGood, audit_days: 365 })
        assert.strictEqual((yield* audit.list({ workspaceId, after: null, limit: 5 })).items.length, 1)
      }),
    )
  })
