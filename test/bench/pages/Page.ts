// The page of the benchmark, a bare server with the same bytes, and a week of a million views a day.
import { once } from "node:events"
import { request } from "node:http"
import { buffer } from "node:stream/consumers"
import { callsOf, until } from "../../support/Service.ts"
import { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Bench } from "../Benchmark.ts"
import type { Target } from "../Load.ts"
import { World } from "../World.ts"
import type { Answer } from "./BareServer.ts"

export interface Page {
  readonly world: World
  readonly tentId: string
  readonly path: string
}

/** A page that is published. */
export const publishedPage = async (bench: Bench): Promise<Page> => {
  const world = await World.begin(bench)
  await world.worker()
  const call = callsOf(world.deployment)
  const { id } = await call("POST", "/v1/tents", {
    name: "Bench",
    prompt: "Build a website for a bakery with a sign-up form and six features",
    auto_publish: true,
    custom_page_alias: "bakery",
  })
  const isPublished = async () => (await call("GET", `/v1/tents/${id}`)).publication?.status === "published"
  await until("the page to be published", isPublished)
  return { world, tentId: id, path: "/bakery" }
}

const person =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
const machine = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

/** Requests by people, whose views are counted, or by bots, whose views are not. */
export const visitsOf = ({ path, world: { deployment } }: Page, by: "people" | "machines"): Target => ({
  port: deployment.pagesPort,
  host: `default.localhost:${deployment.pagesPort}`,
  paths: [path],
  headers: { "User-Agent": by === "people" ? person : machine, "Accept-Encoding": "gzip, deflate, br" },
})

/** A server that answers every request as the page server answers this one. */
export const bareServer = async ({ ending }: Bench, like: Target): Promise<Target> => {
  const module = new URL("BareServer.ts", import.meta.url)
  return { ...like, port: (await ServiceProcess.serving(ending, module, {}, await answerTo(like))).port }
}

/** Headers that node adds. */
const own: ReadonlySet<string> = new Set(["date", "connection", "keep-alive", "transfer-encoding"])

const answerTo = async ({ headers, host, paths, port }: Target): Promise<Answer> => {
  const sending = request({ host: "127.0.0.1", port, path: paths[0], headers: { ...headers, host } })
  sending.end()
  const [response] = await once(sending, "response")
  const body = await buffer(response)
  const sent = Object.entries<string>(response.headers).filter(([name]) => !own.has(name))
  return { headers: Object.fromEntries(sent), body: body.toString("base64") }
}

/** Writes a week of views as the recorder does: views, visitors of today, and sums of days. */
export const plantViews = async (
  { tentId, world }: Page,
  size: { readonly views_a_day: number; readonly tents: number },
): Promise<void> => {
  const id = `'${await world.firstWorkspace()}'::uuid`
  const statement = (text: string) => world.byHand(text)
  await statement(`
    insert into tent (workspace_id, tent_id, name, name_folded, status, prompt, current_version, created_at, updated_at)
    select ${id}, gen_random_uuid(), 'Tent ' || n, 'tent ' || n, 'completed', 'p', 1, now(), now()
    from generate_series(2, ${size.tents}) as n`)
  // The tent of the benchmark has half of all views.
  await statement(`
    create table planted as
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
  await statement(`
    insert into page_view (workspace_id, tent_id, at, country, device, browser, os, referrer)
    select workspace_id, tent_id, at, country, device, browser, os, referrer from planted`)
  await statement(`
    create table sums as
    select workspace_id, tent_id, (at at time zone 'UTC')::date as day, d.dimension, d.value, count(*)::int as views
    from planted, lateral (values ('all', ''), ('country', country), ('device', device), ('browser', browser), ('os', os),
      ('referrer', referrer)) as d (dimension, value)
    group by 1, 2, 3, 4, 5
    union all
    select workspace_id, tent_id, (at at time zone 'UTC')::date, 'visits', '', count(distinct visitor)::int
    from planted group by 1, 2, 3`)
  await statement(`
    insert into page_view_day as d (workspace_id, tent_id, day, dimension, value, views)
    select workspace_id, tent_id, day, dimension, value, views from sums
    on conflict (workspace_id, tent_id, day, dimension, value) do update set views = d.views + excluded.views`)
  await statement(`
    insert into workspace_view_day as d (workspace_id, day, dimension, value, views)
    select workspace_id, day, dimension, value, sum(views)::int from sums group by 1, 2, 3, 4
    on conflict (workspace_id, day, dimension, value) do update set views = d.views + excluded.views`)
  await statement(`
    insert into page_visitor_day (workspace_id, tent_id, day, visitor)
    select distinct workspace_id, tent_id, (at at time zone 'UTC')::date, visitor from planted
    where at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
    on conflict do nothing`)
  await statement("analyze page_view, page_view_day, workspace_view_day, page_visitor_day")
}
