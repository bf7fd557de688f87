// Contract tests of block reasons: the audience pass and intents block the recipients that core's conditions block, for every
// combination of facts.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import {
  blockReason,
  intentAnswer,
  type RecipientFacts,
  type SuppressionReason,
} from "../../src/sending/Suppression.ts"
import { begin, type DeliveryPorts } from "./deliveryScenario.ts"

const suppressions: ReadonlyArray<SuppressionReason | null> = [null, "unsubscribe", "bounce", "complaint", "manual"]

/** Every combination of the facts of recipients with an address; each has its own. */
const addressed: ReadonlyArray<RecipientFacts & { readonly emailNormalized: string }> = [false, true]
  .flatMap((unsubscribed) =>
    [null, true, false].flatMap((marketingEmailSubscribed) =>
      [false, true].flatMap((marketingEmailInvalid) =>
        suppressions.map((suppression) => ({
          unsubscribed,
          marketingEmailSubscribed,
          marketingEmailInvalid,
          suppression,
          topic: null,
          consentRequired: false,
        })),
      ),
    ),
  )
  .map((facts, index) => ({ ...facts, emailNormalized: `person${index}@example.test` }))

const withoutAddress: ReadonlyArray<RecipientFacts> = addressed
  .filter(({ suppression }) => suppression === null)
  .map((facts) => ({ ...facts, emailNormalized: null }))

export const blockReasons = <E>(name: string, live: Layer.Layer<DeliveryPorts, E>) =>
  layer(live, { excludeTestServices: true })(`Block reasons (${name})`, (it) => {
    for (const operational of [false, true]) {
      const kind = operational ? "operational" : "marketing"

      it.effect(`the audience pass blocks what core blocks, of ${kind} mail`, () =>
        Effect.gen(function* () {
          const { scenario, started, workspace } = yield* begin
          const all = [...addressed, ...withoutAddress]
          const contacts = all.map(
            ({ emailNormalized: email, suppression, topic: _, consentRequired: __, ...facts }) => ({
              email,
              ...facts,
              ...(suppression === null ? {} : { suppression }),
            }),
          )
          const { blast, contacts: ids } = yield* started(contacts, { operational })
          const written = new Map(
            (yield* scenario.written(workspace, blast)).map(({ contactId, reason }) => [contactId, reason]),
          )
          const expected = all.map((facts) => blockReason(facts, operational) ?? null)
          assert.deepStrictEqual(
            ids.map((id) => written.get(id)),
            expected,
          )
        }),
      )

      for (const state of ["sending", "paused", "cancelled"] as const) {
        it.effect(`an intent of a ${state} blast gets the answer of core, for ${kind} mail`, () =>
          Effect.gen(function* () {
            const { claim, grant, scenario, started, workspace } = yield* begin
            const emails = [...addressed.map(({ emailNormalized }) => emailNormalized), "deleted@example.test"]
            const people = emails.map((email) => ({ email }))
            const { blast, contacts } = yield* started(people, { operational })
            const claims = yield* claim(people.length)
            const recipients: ReadonlyArray<RecipientFacts | null> = [...addressed, null]
            for (const [index, recipient] of recipients.entries()) {
              const contact = contacts[index] ?? assert.fail()
              if (recipient === null) {
                yield* scenario.setContact(workspace, contact, "deleted")
                continue
              }
              const { emailNormalized, suppression, topic: _, consentRequired: __, ...facts } = recipient
              yield* scenario.setContact(workspace, contact, facts)
              if (suppression !== null) yield* scenario.suppress(workspace, emailNormalized ?? "", suppression)
            }
            yield* scenario.setBlast(workspace, blast, state)
            const answers = yield* grant(claims)
            const answerOf = new Map(claims.map(({ address, id }) => [address, answers.get(id)]))
            const expected = recipients.map((recipient) => {
              const of = { status: state === "cancelled" ? "cancelled" : "sending", paused: state === "paused" }
              return intentAnswer({ blast: of, recipient, operational, withdrawn: false })
            })
            assert.deepStrictEqual(
              emails.map((email) => answerOf.get(email)),
              expected,
            )
          }),
        )
      }
    }
  })
