// The world that pages are measured in: the service as a user starts it with a page that is published, a server that does nothing
// but send the same bytes, and a week of a million views a day.
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { Effect, ManagedRuntime } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { request } from "node:http"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import * as Owner from "../../support/Owner.ts"
import { answered, type Json, Service, until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import type { Target } from "../Load.ts"
import type { Answer } from "./BareServer.ts"

export interface World {
  readonly service: Service
  readonly tentId: string
  readonly path: string
  readonly asOwner: <Row extends object>(statement: string) => Promise<ReadonlyArray<Row>>
}

export const makeWorld = async ({ ending, report }: Bench): Promise<World> => {
  const service = await Service.prepare()
  await ending.with(() => service.remove())
  report.say("starting the service …")
  await service.start()
  const url = await Effect.runPromise(runningUrl(join(service.folder, "data/database")))
  if (url === null) throw new Error("the service runs without its embedded PostgreSQL")
  const runtime = ManagedRuntime.make(Owner.layer(url))
  await ending.with(() => runtime.dispose())
  const asOwner: World["asOwner"] = <Row extends object>(statement: string) =>
    runtime.runPromise(Effect.flatMap(Owner.Owner, (sql) => sql.unsafe<Row>(statement).unprepared))
  const { id } = await answered(service, "POST", "/v1/tents", {
    name: "Bench",
    prompt: "Build a website for a bakery with a sign-up form and six features",
    auto_publish: true,
    custom_page_alias: "bakery",
  })
  await until("the page to be published", async () => {
    const tent: Json = await answered(service, "GET", `/v1/tents/${id}`)
    return tent.publication?.status === "published"
  })
  return { service, tentId: id, path: "/bakery", asOwner }
}

const person =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
const machine = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

/** Requests of the page: of people, whose views are counted, or of machines, whose are not. */
export const visitsOf = ({ path, service }: World, by: "people" | "machines"): Target => ({
  port: service.pagesPort,
  host: `default.localhost:${service.pagesPort}`,
  paths: [path],
  headers: { "User-Agent": by === "people" ? person : machine, "Accept-Encoding": "gzip, deflate, br" },
})

/** A server that sends to every request what the page server sends to this one. */
export const bareServer = async (
  { ending }: Bench,
  like: Target,
): Promise<{ readonly pid: number; readonly target: Target }> => {
  const answer = await answerTo(like)
  const child = spawn(process.execPath, [fileURLToPath(new URL("BareServer.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  await ending.with(() => Promise.resolve(child.kill()))
  child.stdin.end(JSON.stringify(answer))
  const [said] = await once(child.stdout, "data")
  return { pid: child.pid ?? 0, target: { ...like, port: Number(String(said)) } }
}

/** What node adds by itself. */
const own: ReadonlySet<string> = new Set(["date", "connection", "keep-alive", "transfer-encoding"])

const answerTo = async ({ headers, host, paths, port }: Target): Promise<Answer> => {
  const asked = request({ host: "127.0.0.1", port, path: paths[0], headers: { ...headers, host } })
  asked.end()
  const [response] = await once(asked, "response")
  const body = await buffer(response)
  const sent = Object.entries<string>(response.headers).filter(([name]) => !own.has(name))
  return { headers: Object.fromEntries(sent), body: body.toString("base64") }
}

/** A week of views as recording leaves them: each view, the visitors of today, and the sums of days. */
export const plantViews = async (
  { asOwner, tentId }: World,
  size: { readonly views_a_day: number; readonly tents: number },
): Promise<void> => {
  const [workspace] = await asOwner<{ workspace_id: string }>("select workspace_id from workspace")
  const id = `'${workspace?.workspace_id}'::uuid`
  await asOwner(`
    insert into tent (workspace_id, tent_id, name, name_folded, status, prompt, html, created_at, updated_at)
    select ${id}, gen_random_uuid(), 'Tent ' || n, 'tent ' || n, 'completed', 'p', '', now(), now()
    from generate_series(2, ${size.tents}) as n`)
  // The tent of the bench has half of all views, the others share the rest.
  await asOwner(`
    create temporary table planted as
    with tents as (
      select array_agg(tent_id order by (tent_id = '${tentId}') desc) as ids from tent where workspace_id = ${id}
    )
    select ${id} as workspace_id,
      ids[case when n % 2 = 0 then 1 else 1 + (n / 2) % ${size.tents} end] as tent_id,
      date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - make_interval(days => day)
        + make_interval(secs => (n::float8 / ${size.views_a_day}) * case when day = 0
          then extract(epoch from now() - date_trunc('day', now() at time zone 'UTC') at time zone 'UTC') else 86400 end) as at,
      decode(md5((n % (${size.views_a_day} / 2))::text), 'hex') as visitor,
      (array['CH', 'DE', 'US', 'FR', 'IT', 'unknown'])[1 + n % 6] as country,
      (array['desktop', 'mobile', 'tablet'])[1 + n % 3] as device,
      (array['Chrome', 'Safari', 'Firefox', 'Microsoft Edge'])[1 + n % 4] as browser,
      (array['Windows', 'macOS', 'iOS', 'Android', 'Linux'])[1 + n % 5] as os,
      'site-' || n % 500 || '.example' as referrer
    from tents, generate_series(0, 6) as day, generate_series(1, ${size.views_a_day}) as n`)
  await asOwner(`
    insert into page_view (workspace_id, tent_id, at, visitor, country, device, browser, os, referrer)
    select workspace_id, tent_id, at, visitor, country, device, browser, os, referrer from planted`)
  await asOwner(`
    create temporary table sums as
    select workspace_id, tent_id, (at at time zone 'UTC')::date as day, d.dimension, d.value, count(*)::int as views
    from planted, lateral (values ('all', ''), ('country', country), ('device', device), ('browser', browser), ('os', os),
      ('referrer', referrer)) as d (dimension, value)
    group by 1, 2, 3, 4, 5
    union all
    select workspace_id, tent_id, (at at time zone 'UTC')::date, 'visits', '', count(distinct visitor)::int
    from planted group by 1, 2, 3`)
  await asOwner(`
    insert into page_view_day as d (workspace_id, tent_id, day, dimension, value, views)
    select workspace_id, tent_id, day, dimension, value, views from sums
    on conflict (workspace_id, tent_id, day, dimension, value) do update set views = d.views + excluded.views`)
  await asOwner(`
    insert into workspace_view_day as d (workspace_id, day, dimension, value, views)
    select workspace_id, day, dimension, value, sum(views)::int from sums group by 1, 2, 3, 4
    on conflict (workspace_id, day, dimension, value) do update set views = d.views + excluded.views`)
  await asOwner(`
    insert into page_visitor_day (workspace_id, tent_id, day, visitor)
    select distinct workspace_id, tent_id, (at at time zone 'UTC')::date, visitor from planted
    where at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
    on conflict do nothing`)
  await asOwner("analyze page_view, page_view_day, workspace_view_day, page_visitor_day")
}
