// The reference by hand: a job for each member on graphile-worker, which a good engineer would reach for. A job loads its
// member and contact, looks at the condition, and writes step and message in one transaction.
import { Logger, run, type Task } from "graphile-worker"
import { Redacted } from "effect"
import type { Bench } from "../Benchmark.ts"
import type { Sender, World } from "../blasts/World.ts"
import { until } from "../../support/Service.ts"

const concurrency = 10

const silent = new Logger(() => () => undefined)

const step: Task = async (payload, { withPgClient }) => {
  const id = typeof payload === "object" && payload !== null && "id" in payload ? payload.id : null
  await withPgClient(async (client) => {
    await client.query("begin")
    const { rows } = await client.query(
      `select m.member_id, m.contact_id, c.city, c.email from bench.member m
       join contact c on c.workspace_id = m.workspace_id and c.contact_id = m.contact_id
       where m.member_id = $1 and m.step = 'rest' for update of m`,
      [id],
    )
    if (rows.length > 0) {
      await client.query("update bench.member set step = $2 where member_id = $1", [
        id,
        rows[0].city === "Rome" ? "hello" : "end",
      ])
      await client.query("insert into bench.event (member_id, type) values ($1, 'wait'), ($1, 'check')", [id])
      await client.query("insert into bench.message (member_id, email) values ($1, $2)", [id, rows[0].email])
    }
    await client.query("commit")
  })
}

/** Members a second. */
export const graphileRate = async (bench: Bench, world: World, { id }: Sender): Promise<number> => {
  const { inside } = world.deployment
  const count = bench.quick ? 1_000 : 10_000
  for (const statement of [
    "create schema if not exists bench",
    "create table bench.member (member_id uuid primary key, workspace_id uuid, contact_id uuid, step text)",
    "create table bench.event (event_id bigint generated always as identity primary key, member_id uuid, type text)",
    "create table bench.message (message_id bigint generated always as identity primary key, member_id uuid, email text)",
  ]) {
    await inside.asOwner(statement)
  }
  await inside.asOwner(
    `insert into bench.member select gen_random_uuid(), workspace_id, contact_id, 'rest' from contact
     where workspace_id = $1::uuid limit $2::int`,
    [id, count],
  )
  const runner = await run({
    connectionString: Redacted.value(world.ownerUrl),
    concurrency,
    maxPoolSize: concurrency + 2,
    noHandleSignals: true,
    pollInterval: 100,
    taskList: { step },
    logger: silent,
  })
  await inside.asOwner(
    `select count(graphile_worker.add_job('step', json_build_object('id', member_id))) from bench.member`,
  )
  const began = performance.now()
  await until(
    "all jobs to be done",
    async () => {
      const [row] = await inside.asOwner<{ left: number }>(
        "select count(*)::int as left from bench.member where step = 'rest'",
      )
      return row?.left === 0
    },
    { within_ms: 300_000, every_ms: 50 },
  )
  const rate = (count / (performance.now() - began)) * 1000
  await runner.stop()
  return rate
}
