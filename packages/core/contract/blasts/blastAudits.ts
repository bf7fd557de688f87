// Contract tests of blast audits: rows that the service wrote itself give no findings.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { audit } from "../../src/blasts/inspection/BlastAudit.ts"
import { auditFindings, BlastAuditStore } from "../../src/blasts/inspection/BlastAuditStore.ts"
import { decide } from "../../src/blasts/machine.ts"
import { ContactsChange } from "../../src/contacts/ContactsChange.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { BlastId } from "../../src/kernel/Ids.ts"
import { later, noon, type Rooms } from "./blastWorld.ts"
import { mailedBlast } from "../sending/mailedBlast.ts"

export { mailedBlast } from "../sending/mailedBlast.ts"

export const blastAudits = <E>(name: string, live: Layer.Layer<Rooms | BlastAuditStore, E>) =>
  layer(live, { excludeTestServices: true })(`Blast audits (${name})`, (it) => {
    it.effect("counts recipients by state and reason and finds nothing wrong with a correct blast", () =>
      Effect.gen(function* () {
        const { id, store, workspace } = yield* mailedBlast
        const audits = yield* BlastAuditStore
        const evidence = yield* audits.evidence(workspace, id)
        assert.deepStrictEqual(evidence.recipients, [
          { state: "blocked", reason: "unsubscribed", count: 1 },
          { state: "failed", reason: "hard_bounce", count: 1 },
          { state: "sent", reason: null, count: 2 },
          { state: "unconfirmed", reason: "unconfirmed", count: 1 },
        ])
        for (const finding of auditFindings) {
          assert.deepStrictEqual(evidence.found[finding], { count: 0, samples: [] }, finding)
        }
        assert.strictEqual(evidence.recipientCount, 5)
        assert.deepStrictEqual(evidence.tally, (yield* store.get(workspace, id, noon)).tally)
        assert.deepStrictEqual(evidence.recount, evidence.tally)
        const [only] = evidence.unconfirmed
        assert.strictEqual(evidence.unconfirmed.length, 1)
        assert.isNotNull(only?.handedOverAt ?? null)
        assert.isTrue(audit(evidence).holds)
      }),
    )

    it.effect("finds nothing wrong with a waiting blast, with unknown outcomes, or after contacts were deleted", () =>
      Effect.gen(function* () {
        const { draft, id, members, person, sending, transact, write, store, workspace } = yield* mailedBlast
        const audits = yield* BlastAuditStore
        const contacts = yield* ContactStore
        const waiting = yield* sending("b", [yield* person("fay"), yield* person("gil")])
        assert.deepInclude(yield* audits.evidence(workspace, waiting), { status: "sending", recipientCount: 2 })
        assert.strictEqual((yield* audits.evidence(workspace, waiting)).found.open.count, 2)
        const blank = yield* draft("c")
        assert.deepInclude(yield* audits.evidence(workspace, blank.id), {
          recipientCount: null,
          recipients: [],
          unconfirmed: [],
        })
        yield* transact(
          Effect.gen(function* () {
            const gone = yield* contacts.lockForDeletion(
              workspace,
              members.map((each) => each.id),
            )
            yield* contacts.apply(
              workspace,
              ContactsChange.of(gone.map((before) => ({ before, after: null, at: noon }))),
            )
          }),
        )
        const { blast } = yield* store.get(workspace, id, noon)
        yield* write(yield* Effect.fromResult(decide(blast, { _tag: "complete" }, later(200))))
        for (const each of [id, waiting, blank.id]) {
          const { holds, lines } = audit(yield* audits.evidence(workspace, each))
          assert.isTrue(holds, JSON.stringify(lines.filter((line) => !line.holds)))
        }
      }),
    )

    it.effect("finds no evidence for another workspace or an unknown blast", () =>
      Effect.gen(function* () {
        const { fresh, id, workspace } = yield* mailedBlast
        const audits = yield* BlastAuditStore
        const nothing = BlastId.make(yield* fresh.id)
        for (const asked of [audits.evidence(yield* fresh.workspace(), id), audits.evidence(workspace, nothing)]) {
          assert.strictEqual((yield* Effect.flip(asked))._tag, "NotFound")
        }
      }),
    )
  })
