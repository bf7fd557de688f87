// Contract tests of dry runs: a dry run reports what a send would do, for each kind of contact and send.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Blasts } from "../../src/blasts/Blasts.ts"
import { DryRuns } from "../../src/blasts/inspection/DryRuns.ts"
import { Schedules } from "../../src/blasts/Schedules.ts"
import { DryRunStore } from "../../src/blasts/inspection/DryRunStore.ts"
import type { ContactPatch } from "../../src/contacts/ContactPatch.ts"
import { standardFieldByName } from "../../src/contacts/ContactFields.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { commonSettings } from "../../src/kernel/Settings.ts"
import { Links } from "../../src/rendering/Links.ts"
import type { BlastId } from "../../src/kernel/Ids.ts"
import { recipientQuery, furnished, inCity, later, noon, type Rooms } from "./blastWorld.ts"
import { settingsLayer } from "../kernel/settings.ts"
import { wholeAudience } from "../sending/deliveryScenario.ts"

/** The secret that signs links. */
type Signing = Exclude<Layer.Services<typeof Links.layer>, Layer.Success<ReturnType<typeof settingsLayer>>>

type Needs =
  | Rooms
  | Signing
  | DryRunStore
  | Layer.Services<typeof Blasts.layer>
  | Layer.Services<typeof Schedules.layer>

/** A contact for each block reason, and one without. */
const crowd: Readonly<Record<string, ContactPatch>> = {
  ann: { city: "Bern", firstName: "Ann" },
  bob: { city: "Bern", firstName: "\u2003" },
  cyd: { city: "Bern", firstName: "Cyd", marketingEmailSubscribed: null },
  dan: { city: "Bern", email: parseEmail("dan@other.test") },
  away: { city: "Bern", unsubscribed: true },
  no: { city: "Bern", marketingEmailSubscribed: false },
  phone: { city: "Bern", email: null, phone: "+14155550123" },
  elsewhere: { city: "Rome" },
}

const begin = Effect.gen(function* () {
  const world = yield* furnished()
  const people = yield* Effect.forEach(Object.entries(crowd), ([name, patch]) => world.person(name, patch))
  const { workspace } = world
  const blasts = yield* Blasts
  const { dryRun } = yield* DryRuns
  const surveys = yield* DryRunStore
  const survey = (
    list: Parameters<typeof surveys.calculate>[1],
    over: Partial<Parameters<typeof surveys.calculate>[2]> = {},
  ) => surveys.calculate(workspace, list, { operational: false, topicId: null, needed: [], now: noon, ...over })
  /** A draft with an approved email to these contacts. */
  const addressed = Effect.fnUntraced(function* (list: Parameters<typeof surveys.calculate>[1], html: string) {
    const { blast } = yield* blasts.create(workspace, { name: "News" })
    yield* blasts.setAudience(workspace, blast.id, { source: "existing", listId: list })
    const email = yield* world.approvedEmail("mail", { html })
    yield* blasts.setEmail(workspace, blast.id, { source: "existing", emailId: email.id }, "k")
    return blast.id
  }, Effect.orDie)
  return { ...world, people, blasts, dryRun, survey, addressed }
})

export const blastDryRuns = <E>(name: string, rooms: Layer.Layer<Needs, E>) => {
  const live = Layer.mergeAll(Blasts.layer, Schedules.layer, DryRuns.layer).pipe(
    Layer.provideMerge(Links.layer),
    Layer.provideMerge(settingsLayer()),
    Layer.provideMerge(rooms),
  )
  layer(live, { excludeTestServices: true })(`Dry runs (${name})`, (it) => {
    it.effect("counts the same contacts and block reasons as the audience of the send, for each kind of send", () =>
      Effect.gen(function* () {
        const { people, listOf, list, lists, workspace, survey, addressed, blasts, deliveries, transact } = yield* begin
        const system = yield* lists.list(workspace, { page: 1, limit: 10, search: null, kind: "system" })
        const bern = yield* list("bern", { kind: "dynamic", rules: inCity("Bern") })
        const emptyList = yield* listOf("empty", [])
        for (const audience of [yield* listOf("all", people), bern, emptyList, ...system.items]) {
          for (const operational of [false, true]) {
            const surveyed = (yield* survey(audience.id, { operational })) ?? assert.fail()
            const id = yield* addressed(audience.id, "<p>x</p>")
            yield* Effect.orDie(blasts.sendNow(workspace, id, { operational }))
            const fixed = yield* transact(wholeAudience(deliveries, workspace, id))
            const { items } = yield* blasts.recipients(workspace, id, { ...recipientQuery, limit: 100 })
            const reasons = new Map<string, number>()
            for (const { reason } of items) if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
            assert.deepInclude(fixed, {
              recipientCount: surveyed.recipientCount,
              qualifiedCount: surveyed.qualifiedCount,
            })
            assert.deepStrictEqual(new Map(surveyed.blocked.map(({ reason, count }) => [reason, count])), reasons)
            yield* Effect.orDie(blasts.cancel(workspace, id))
          }
        }
      }),
    )

    it.effect("shows blocked contacts, sorts domains by size, and counts contacts without a value", () =>
      Effect.gen(function* () {
        const { people, listOf, survey } = yield* begin
        const { id } = yield* listOf("all", people)
        const field = standardFieldByName.get("first_name") ?? assert.fail()
        const score = standardFieldByName.get("service_score") ?? assert.fail()
        const surveyed = yield* survey(id, {
          needed: [
            { kind: "standard", field },
            { kind: "custom", apiName: "shoe's" },
            { kind: "standard", field: score },
          ],
        })
        assert.deepInclude(surveyed, {
          recipientCount: 8,
          qualifiedCount: 5,
          domains: [
            { domain: "example.test", count: 4 },
            { domain: "other.test", count: 1 },
          ],
          missingCounts: [3, 5, 5],
        })
        const known = new Map(people.map((each) => [each.id, each.displayName]))
        assert.deepStrictEqual(
          surveyed?.blocked.map(({ reason, count, sample }) => [
            reason,
            count,
            sample.map(({ contactId, email }) => [known.get(contactId), email]),
          ]),
          [
            ["no_email", 1, [["phone", null]]],
            ["unsubscribed", 1, [["away", "away@example.test"]]],
            ["opt_out", 1, [["no", "no@example.test"]]],
          ],
        )
        assert.deepStrictEqual(
          surveyed?.sample.map(({ displayName }) => displayName),
          ["ann", "bob", "cyd"],
        )
      }),
    )

    it.effect("returns null for a deleted list and for a list of another workspace", () =>
      Effect.gen(function* () {
        const { people, listOf, fresh } = yield* begin
        const { id } = yield* listOf("all", people)
        const other = yield* fresh.workspace()
        const { calculate } = yield* DryRunStore
        assert.isNull(yield* calculate(other, id, { operational: false, topicId: null, needed: [], now: noon }))
      }),
    )

    it.effect(
      "shows three rendered messages without tracking, and counts for how many contacts each token is empty",
      () =>
        Effect.gen(function* () {
          const { people, listOf, addressed, dryRun, workspace, setDomain } = yield* begin
          const all = yield* listOf("all", people)
          const html = `<a href="https://example.com/x">{{contact.first_name}} {{contact.last_name|you}} {{contact.nope}}</a>
          <p>{{contact.email}} {{campaign.dynamic.code}} {{contact.custom_fields.size}} {{unsubscribe_url}}</p>`
          const id = yield* addressed(all.id, html)
          const run = yield* dryRun(workspace, id, {})
          assert.deepInclude(run, { recipientCount: 8, qualifiedCount: 5, estimated_s: 1 })
          const counts = new Map(run.unresolvedTokens.map(({ token, contactCount }) => [token, contactCount]))
          assert.deepStrictEqual(
            counts,
            new Map([
              ["contact.first_name", 3],
              ["contact.nope", 5],
              ["campaign.dynamic.code", 5],
              ["contact.custom_fields.size", 5],
            ]),
          )
          const [ann] = run.samples
          assert.strictEqual(run.samples.length, 3)
          assert.strictEqual(ann?.subject, "Hello Ann")
          assert.include(ann?.html ?? "", `<a href="https://example.com/x">Ann you `)
          assert.include(ann?.text ?? "", "Ann you")
          assert.notInclude(ann?.html ?? "", "<img")
          // The dry run wrote nothing and can be repeated. The sender's domain matters to the send only.
          yield* setDomain("example.test", "pending")
          assert.deepStrictEqual(yield* dryRun(workspace, id, {}), run)
          assert.strictEqual((yield* dryRun(workspace, id, { operational: true })).qualifiedCount, 7)
        }),
    )

    it.effect("shows only as many rendered messages as fit into the size of one message", () =>
      Effect.gen(function* () {
        const { person, listOf, addressed, dryRun, workspace } = yield* begin
        const firstName = "x".repeat(255)
        const people = yield* Effect.forEach(["a", "b", "c"], (name) => person(name, { firstName }))
        const all = yield* listOf("long names", people)
        // In HTML and plain text it is more than a third of the limit.
        const text = "y".repeat(145)
        const tokens_count = Math.ceil(commonSettings.message_bytes_max / 3 / 2 / (firstName.length + text.length)) + 10
        const id = yield* addressed(all.id, `{{contact.first_name}}${text}`.repeat(tokens_count))
        assert.strictEqual((yield* dryRun(workspace, id, {})).samples.length, 2)
      }),
    )

    it.effect("uses the schedule's approval; refuses a blast that is sending or has no audience or email", () =>
      Effect.gen(function* () {
        const { people, listOf, addressed, dryRun, workspace, blasts, ready, launch, draftEmail } = yield* begin
        const schedules = yield* Schedules
        const all = yield* listOf("all", people)
        const id = yield* addressed(all.id, "<p>x</p>")
        yield* Effect.orDie(schedules.schedule(workspace, id, { scheduledAt: later(86_400_000), operational: true }))
        assert.strictEqual((yield* dryRun(workspace, id, {})).qualifiedCount, 7)
        const busy = yield* ready("busy", [])
        yield* Effect.orDie(launch(busy.id))
        const refusal = (of: BlastId) => Effect.flip(dryRun(workspace, of, {}))
        assert.strictEqual((yield* refusal(busy.id))._tag, "InvalidState")
        const { blast } = yield* blasts.create(workspace, { name: "b" })
        const bare = yield* refusal(blast.id)
        assert(bare._tag === "CampaignNotReady")
        assert.deepStrictEqual(bare.readiness, (yield* Effect.orDie(blasts.get(workspace, blast.id))).readiness)
        yield* Effect.orDie(blasts.setAudience(workspace, blast.id, { source: "existing", listId: all.id }))
        assert.strictEqual((yield* refusal(blast.id))._tag, "CampaignNotReady")
        // An unapproved email can be tried as well.
        const draft = yield* draftEmail("later", { html: "<p>As it is</p>" })
        yield* Effect.orDie(blasts.setEmail(workspace, blast.id, { source: "existing", emailId: draft.id }, "k"))
        assert.include((yield* dryRun(workspace, blast.id, {})).samples[0]?.html ?? "", "As it is")
      }),
    )
  })
}
