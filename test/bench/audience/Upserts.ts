// Batches of a hundred through the use case, all new or all changed, beside bare statements that write the same rows.
import { apiUpsert, decideUpserts } from "@tentpole/core/contacts/batch/Batch"
import { ContactFieldStore } from "@tentpole/core/contacts/ContactFieldStore"
import { Contacts } from "@tentpole/core/contacts/Contacts"
import type { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { fieldsByName, readItem } from "@tentpole/core/contacts/batch/ContactItem"
import { ContactId, Ids } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { Owner } from "../../support/Owner.ts"
import { runBare } from "../BareStatements.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, ratioAtLeast, type Row } from "../Report.ts"
import { compareRates } from "../Timing.ts"
import { bareStatements } from "./BareUpserts.ts"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

const batch_size = 100

type Item = Readonly<Record<string, unknown>>

const numbersOf = (batch: number) => Array.from({ length: batch_size }, (_, at) => batch * batch_size + at)

/** A contact with all its fields. */
const newItem = (number: number, whose: string): Item => ({
  email: `New.${number}@${whose}.example`,
  first_name: "Zoë",
  last_name: `Ångström${number % 1000}`,
  company: `Lindqvist GmbH ${number % 5000}`,
  job_title: "Buyer",
  city: "Oslo",
  country: "NO",
  lead_status: "New",
  lifecycle_stage: "Lead",
  custom_fields: {
    plan: "Pro",
    region: "EMEA",
    favourite: `Green${number % 300}`,
    note: `A note of number ${number}`,
    age: 18 + (number % 60),
    orders: number % 250,
    lifetime_value: number / 8,
    vip: number % 10 === 0,
    birthday: "1990-04-01",
    renewal: "2027-01-31",
  },
})

const changedItem = (number: number, whose: string): Item => ({
  email: `New.${number}@${whose}.example`,
  company: `Dubois SA ${number % 5000}`,
  lifecycle_stage: "Customer",
  custom_fields: { plan: "Max", orders: 1 + (number % 250), lifetime_value: 7 + number / 8 },
})

/** The changes that core decides, so that the bare statements write the same rows. */
const decided = (world: LargeWorkspace, batches: number, whose: string) =>
  Effect.gen(function* () {
    const fields = fieldsByName(yield* (yield* ContactFieldStore).list(world.workspace))
    const how = { values: "json", fields, defaultCountry: "US", allowNotEditable: false } as const
    const read = (items: ReadonlyArray<Item>) => items.map((item) => readItem(item, how))
    const now = yield* DateTime.now
    const made: Array<{ readonly create: ContactsChange; readonly update: ContactsChange }> = []
    for (let batch = 0; batch < batches; batch++) {
      const ids = (yield* (yield* Ids).many(batch_size)).map((id) => ContactId.make(id))
      const numbers = numbersOf(batch)
      const news = read(numbers.map((number) => newItem(number, whose)))
      const { change: create } = decideUpserts(news, { existing: [], ids, now }, apiUpsert)
      const changes = read(numbers.map((number) => changedItem(number, whose)))
      const { change: update } = decideUpserts(changes, { existing: create.creates, ids, now }, apiUpsert)
      made.push({ create, update })
    }
    return made
  })

/** The rows of a hundred contacts in two tables, without the values that differ between the sides. */
const written = async (world: LargeWorkspace, batch: number, whose: string): Promise<string> => {
  const emails = numbersOf(batch).map((number) => `'new.${number}@${whose}.example'`)
  const rows = await world.byHand<{ row: unknown }>(`
    select jsonb_build_array(
      to_jsonb(c) - array['contact_id', 'email', 'email_folded', 'email_normalized', 'created_at', 'updated_at'],
      (select jsonb_agg(jsonb_build_array(a.type, a.metadata) order by a.type) from activity a
        where a.workspace_id = c.workspace_id and a.contact_id = c.contact_id)
    )::text as row
    from contact c where c.workspace_id = '${world.workspace}' and c.email_normalized in (${emails.join(", ")})
    order by split_part(c.email_normalized, '@', 1)`)
  if (rows.length !== batch_size) throw new Error(`${rows.length} of ${batch_size} contacts were written by ${whose}`)
  return JSON.stringify(rows)
}

const sameWritten = async (world: LargeWorkspace, batch: number): Promise<void> => {
  const [ours, theirs] = [await written(world, batch, "ours"), await written(world, batch, "bare")]
  if (ours !== theirs) throw new Error(`batch ${batch} was written as ${ours}, by hand as ${theirs}`)
}

export const upserts = async (bench: Bench, world: LargeWorkspace): Promise<void> => {
  const { inside, workspace } = world
  const [warmup, rounds] = bench.quick ? [3, 12] : [5, 60]
  const batches = warmup + rounds
  const theirs = await inside.run(decided(world, batches, "bare"))
  const upsert = (items: ReadonlyArray<Item>, status: string) =>
    inside
      .run(Effect.flatMap(Contacts, (contacts) => contacts.upsert({ id: workspace, defaultCountry: "US" }, items)))
      .then((results) => {
        const other = results.find((each) => each.status !== status)
        if (other !== undefined) throw new Error(`an item was ${other.status} instead of ${status}`)
      })
  const rows: Array<Row> = []
  for (const [what, status, itemOf, changeOf] of [
    ["new", "created", newItem, (at: number) => theirs[at]?.create],
    ["changed", "updated", changedItem, (at: number) => theirs[at]?.update],
  ] as const) {
    // Both sides prepare their input before the clock runs.
    const items = Array.from({ length: batches }, (_, at) => numbersOf(at).map((number) => itemOf(number, "ours")))
    const statements = Array.from({ length: batches }, (_, at) => {
      const change = changeOf(at)
      return change === undefined ? [] : bareStatements(world, change)
    })
    let [oursAt, bareAt] = [0, 0]
    const compared = await compareRates(
      {
        ours: () => upsert(items[oursAt++] ?? [], status),
        reference: () => inside.run(Effect.flatMap(Owner, (sql) => runBare(sql, statements[bareAt++] ?? []))),
        count: batch_size,
      },
      { warmup, rounds, time_max_ms: Number.POSITIVE_INFINITY },
    )
    await sameWritten(world, 0)
    await sameWritten(world, batches - 1)
    rows.push(comparison(`all ${what}`, "/s", compared, (ratio) => [ratioAtLeast(0.6, ratio)]))
  }
  bench.report.section("Upserts of 100, contacts a second, beside bare statements whose arrays are ready", rows)
}
