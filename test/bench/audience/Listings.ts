// Pages of all contacts over HTTP, the first and a far one, beside SQL by hand with OFFSET.
import { contactColumns } from "@tentpole/adapters/postgres/contacts/ContactRows"
import { isDeepStrictEqual } from "node:util"
import { answered } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import type { Row } from "../Report.ts"
import { compareTimes, fastest, type Formulation, told } from "../Timing.ts"
import { page_limit } from "./Asked.ts"
import type { World } from "./World.ts"

interface Ways {
  readonly [way: string]: string
}

/** The ids of a page, as FROM. Nobody is without a time; whoever has no name stands last, which the index alone can't give. */
const pagesByHand = (world: World, offset: number): Readonly<Record<"created_at" | "display_name", Ways>> => {
  const mine = `contact c where c.workspace_id = '${world.workspace}'`
  const cut = `limit ${page_limit} offset ${offset}`
  const byTime = "order by c.created_at desc, c.contact_id"
  const byName = "order by c.display_name_folded desc nulls last, c.contact_id"
  const half = (named: string) =>
    `(select c.contact_id, c.display_name_folded from ${mine} and c.display_name_folded ${named}
      order by c.display_name_folded desc, c.contact_id limit ${offset + page_limit})`
  const whole = (from: string, order: string) => `select ${contactColumns} from ${from} ${order}`
  const apart = (ids: string, order: string) =>
    whole(
      `(${ids}) as page join contact c on c.workspace_id = '${world.workspace}' and c.contact_id = page.contact_id`,
      order,
    )
  return {
    created_at: {
      "whole rows": whole(mine, `${byTime} ${cut}`),
      "ids first": apart(`select c.contact_id from ${mine} ${byTime} ${cut}`, byTime),
    },
    display_name: {
      "whole rows": whole(mine, `${byName} ${cut}`),
      "ids first, the nameless apart": apart(
        `select contact_id from (${half("is not null")} union all ${half("is null")}) as c ${byName} ${cut}`,
        byName,
      ),
    },
  }
}

interface Answer {
  readonly ids: ReadonlyArray<string>
  readonly total: number
}

const byHand = (world: World, ways: Ways): ReadonlyArray<Formulation<Answer>> =>
  Object.entries(ways).map(([name, statement]) => ({
    name,
    run: async () => {
      const [items, [all]] = await Promise.all([
        world.asOwner<{ contact_id: string }>(statement),
        world.asOwner<{ total: number }>(
          `select sum(contacts)::int as total from contact_tally where workspace_id = '${world.workspace}'`,
        ),
      ])
      return { ids: items.map((row) => row.contact_id), total: all?.total ?? 0 }
    },
  }))

export const listings = async (bench: Bench, world: World): Promise<void> => {
  const rows: Array<Row> = []
  const notes: Array<string> = []
  for (const sort of ["created_at", "display_name"] as const) {
    for (const page of [1, bench.quick ? 500 : 10_000]) {
      const path = `/v1/contacts?limit=${page_limit}&page=${page}&sort=${sort}&order=desc`
      const ours = async () => answered(world.service, "GET", path)
      const { items, pagination } = await ours()
      const answer: Answer = {
        ids: items.map((each: { contact_id: string }) => each.contact_id),
        total: pagination.total,
      }
      const ways = pagesByHand(world, (page - 1) * page_limit)[sort]
      const best = await fastest(byHand(world, ways), (each, name) => {
        if (isDeepStrictEqual(each, answer)) return
        throw new Error(`${path}: ours answers ${JSON.stringify(answer)}, "${name}" ${JSON.stringify(each)}`)
      })
      const rounds = bench.quick
        ? { warmup: 5, rounds: 10, time_max_ms: 1_000 }
        : { warmup: 8, rounds: 40, time_max_ms: 20_000 }
      const what = `${sort} desc, page ${page.toLocaleString("en-US")}`
      rows.push({ what, unit: "ms", ...(await compareTimes({ reference: best.run, ours }, rounds)), bars: [] })
      notes.push(told(what, best))
    }
  }
  bench.report.section(
    "GET /v1/contacts, 25 a page, over HTTP; by hand: SQL with OFFSET, and the kept count",
    rows,
    notes,
  )
}
