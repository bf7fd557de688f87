// Merges of contacts with ten thousand activities each, over HTTP, in the large workspace.
import type { Json } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { figure, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

const activities_count = 10_000

/** Contacts with timelines of the last hundred days, in both static lists. */
const sourcesOf = async ({ byHand, call, lists, workspace }: LargeWorkspace, count: number) => {
  const items = Array.from({ length: 2 * count }, (_, at) => ({ email: `merge.${at}@example.org`, city: "Oslo" }))
  const ids: ReadonlyArray<string> = (await call("POST", "/v1/contacts", { items })).items.map(
    (item: Json) => item.contact_id,
  )
  const sources = ids.slice(count)
  for (const list of [lists.tenth, lists.hundredth]) {
    await call("POST", `/v1/contact-lists/${list}/contacts`, { contact_ids: sources })
  }
  for (const id of sources) {
    await byHand(`
      insert into activity (workspace_id, contact_id, at, type, metadata)
      select '${workspace}', '${id}', now() - make_interval(mins => 14 * n), 'email_opened',
        jsonb_build_object('blast_id', '${id}', 'recipient_id', '${id}')
      from generate_series(1, ${activities_count}) as n`)
  }
  await byHand("analyze activity")
  return sources.map((source, at) => ({ source, target: ids[at] ?? "" }))
}

export const merges = async (bench: Bench, world: LargeWorkspace): Promise<void> => {
  const pairs = await sourcesOf(world, bench.quick ? 8 : 40)
  const merge = ({ source, target }: (typeof pairs)[number], dry_run: boolean) =>
    world.call("POST", `/v1/contacts/${target}/merge`, { source_contact_id: source, dry_run })
  const [dry, real]: [Array<number>, Array<number>] = [[], []]
  for (const [at, pair] of pairs.entries()) {
    const dry_ms = await timed(() => merge(pair, true))
    const real_ms = await timed(() => merge(pair, false))
    // The first ones prepare their statements.
    if (at > 2) {
      dry.push(dry_ms)
      real.push(real_ms)
    }
  }
  const spread = spreadOf(real)
  bench.report.section(
    `Merges of contacts with ${activities_count.toLocaleString("en-US")} activities, one after the other`,
    [figure("dry run", "ms", spreadOf(dry)), figure("merge", "ms", spread, timeAtMost(300, spread.p95))],
  )
}
