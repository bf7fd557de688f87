// The count of a segment, and its first page with the count: ours through the store, beside SQL by hand.
import { contactColumns } from "@tentpole/adapters/postgres/contacts/ContactRows"
import type { DynamicList } from "@tentpole/core/lists/List"
import { ListId } from "@tentpole/core/kernel/Ids"
import { ListStore } from "@tentpole/core/lists/ListStore"
import { RuleFactsStore } from "@tentpole/core/segments/RuleFacts"
import { referencesIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { Effect } from "effect"
import type { Bench } from "../Benchmark.ts"
import { comparison, ratioAtMost, type Row } from "../Report.ts"
import { compareTimes, fastest, type Formulation } from "../Timing.ts"
import { type Question, questionsOf } from "./Questions.ts"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

/** A page, from either side. */
interface Answer {
  readonly ids: ReadonlyArray<string>
  readonly total: number
}

const page_limit = 25

/** A dynamic list that is not stored: its members are the contacts of the rules. */
const listOf = ({ now }: LargeWorkspace, rules: RuleTree): DynamicList => ({
  id: ListId.make("00000000-0000-4000-8000-00000000000d"),
  kind: "dynamic",
  name: "",
  slug: "",
  description: null,
  rules,
  ownerBlastId: null,
  createdAt: now,
  updatedAt: now,
})

export interface Asked {
  readonly count: () => Promise<number>
  readonly firstPage: () => Promise<Answer>
}

export const askedOf = async (world: LargeWorkspace, tree: RuleTree): Promise<Asked> => {
  const { inside, now, workspace } = world
  const { fields } = await inside.run(
    Effect.flatMap(RuleFactsStore, (facts) => facts.of(workspace, referencesIn(tree))),
  )
  const audience = { list: listOf(world, tree), fields, now }
  const query = {
    page: 1,
    limit: page_limit,
    sort: "created_at",
    order: "desc",
    search: null,
    unsubscribed: null,
  } as const
  return {
    count: () => inside.run(Effect.flatMap(ListStore, (store) => store.countMembers(workspace, audience))),
    firstPage: async () => {
      const { items, total } = await inside.run(
        Effect.flatMap(ListStore, (store) => store.members(workspace, audience, query)),
      )
      return { ids: items.map(({ contact }) => contact.id), total }
    },
  }
}

/** How often a segment is measured, and the slowest p95; null: no bar. */
interface Measuring {
  readonly p95_max_ms: number | null
  readonly rounds: { readonly warmup: number; readonly rounds: number; readonly time_max_ms: number }
}

const measuringOf = ({ quick }: Bench): Measuring => ({
  p95_max_ms: 300,
  rounds: quick ? { warmup: 6, rounds: 15, time_max_ms: 1_000 } : { warmup: 12, rounds: 60, time_max_ms: 20_000 },
})

const counts = (world: LargeWorkspace, { picked, counted }: Question): ReadonlyArray<Formulation<number>> =>
  Object.entries({ ...picked, ...counted }).map(([name, from]) => ({
    name,
    run: async () => {
      const [row] = await world.byHand<{ total: number }>(`select count(*)::int as total from ${from}`)
      return row?.total ?? 0
    },
  }))

const newest = `order by c.created_at desc, c.contact_id limit ${page_limit}`

/** The page alone: with the order left to the planner, or with the contacts materialized first. */
const pages = (world: LargeWorkspace, { picked }: Question): ReadonlyArray<Formulation<ReadonlyArray<string>>> =>
  Object.entries(picked).flatMap(([name, from]) => {
    const plain = `select ${contactColumns} from ${from} ${newest}`
    const laid = `with picked as materialized (select c.contact_id, c.created_at from ${from})
      select ${contactColumns} from picked
      join contact c on c.workspace_id = '${world.workspace}'::uuid and c.contact_id = picked.contact_id ${newest}`
    const idsOf = async (statement: string) => (await world.byHand<{ id: string }>(statement)).map((row) => row.id)
    return [
      { name: `${name}, by its order`, run: () => idsOf(plain) },
      { name: `${name}, materialized`, run: () => idsOf(laid) },
    ]
  })

/** Both in one statement that picks once. */
const together = (world: LargeWorkspace, { picked }: Question): ReadonlyArray<Formulation<Answer>> =>
  Object.entries(picked).map(([name, from]) => ({
    name: `one statement, ${name}`,
    run: async () => {
      const rows = await world.byHand<{ id: string; total: number }>(`
        with picked as materialized (select c.contact_id, c.created_at from ${from})
        select (select count(*)::int from picked) as total, ${contactColumns}
        from (select * from picked c ${newest}) as page
        join contact c on c.workspace_id = '${world.workspace}'::uuid and c.contact_id = page.contact_id ${newest}`)
      return { ids: rows.map((row) => row.id), total: rows[0]?.total ?? 0 }
    },
  }))

const same = (ours: unknown, theirs: unknown, what: string, name: string): void => {
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return
  throw new Error(`${what}: ours answers ${JSON.stringify(ours)}, "${name}" ${JSON.stringify(theirs)}`)
}

const measure = async (world: LargeWorkspace, question: Question, measuring: Measuring) => {
  const { p95_max_ms, rounds } = measuring
  const asked = await askedOf(world, question.tree)
  const answer = await asked.firstPage()
  same(await asked.count(), answer.total, question.what, "its page's total")
  const count = await fastest(counts(world, question), (each, name) => same(answer.total, each, question.what, name))
  const page = await fastest(pages(world, question), (each, name) => same(answer.ids, each, question.what, name))
  const atOnce: Formulation<Answer> = {
    name: "two statements at once",
    run: async () => {
      const [total, ids] = await Promise.all([count.run(), page.run()])
      return { ids, total }
    },
  }
  const both = await fastest([atOnce, ...together(world, question)], (each, name) =>
    same(answer, each, question.what, name),
  )
  const rows: Array<Row> = []
  for (const [what, reference, ours] of [
    ["count", count.run, asked.count],
    ["count and first page", both.run, asked.firstPage],
  ] as const) {
    const compared = await compareTimes({ reference, ours }, rounds)
    const inTime =
      p95_max_ms === null || !question.indexed
        ? []
        : [{ says: `p95 < ${p95_max_ms} ms`, met: compared.ours.p95 < p95_max_ms }]
    rows.push(comparison(`${question.what}: ${what}`, "ms", compared, (ratio) => [ratioAtMost(1.3, ratio), ...inTime]))
  }
  const fast = `by hand the count "${count.name}", the page "${page.name}", both "${both.name}"`
  return { rows, note: `${question.what}: ${answer.total.toLocaleString("en-US")} contacts; ${fast}` }
}

export const segments = async (bench: Bench, world: LargeWorkspace, measuring = measuringOf(bench)): Promise<void> => {
  const rows: Array<Row> = []
  const notes: Array<string> = []
  for (const question of questionsOf(world)) {
    const measured = await measure(world, question, measuring)
    rows.push(...measured.rows)
    notes.push(measured.note)
  }
  bench.report.section("Segments, through the store; by hand: the tables' owner, without the fence", rows, notes)
}
