// Members advanced a second by one worker: a hundred thousand whose wait is over, through a condition to a message that goes
// nowhere; beside bare statements that write a step of as many members.
import { activeFlow, approvedEmail, letterFrom } from "../../support/Blast.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, figure, rateAtLeast } from "../Report.ts"
import { rateSpreadOf, timed } from "../Timing.ts"
import type { Sender, World } from "../World.ts"
import { members, welcome, when } from "./Members.ts"

const letter = {
  subject: "Hello {{contact.first_name|you}}",
  html: "<p>Hello {{contact.first_name}}, your gift is {{campaign.dynamic.gift|a cake}}</p>",
}

export const advancing = async (bench: Bench, world: World): Promise<void> => {
  const count = bench.quick ? 5_000 : 100_000
  bench.report.say(`advancing ${count.toLocaleString("en-US")} members …`)
  const sender = await world.sender("flows", { contacts: count })
  const emailId = await approvedEmail(sender.call, letterFrom(`news@${sender.name}.test`, letter))
  const flow = await activeFlow(world.deployment, sender.id, welcome(emailId))
  await members(world, sender, flow, { until_ms: Date.now() - 1 })
  const worker = await world.worker({ without: "mail" })
  const began = await when(world, flow, ({ waiting }) => waiting < count)
  const advanced = await when(world, flow, ({ waiting }) => waiting === 0)
  const mailed = await when(world, flow, ({ completed }) => completed === count)
  await world.stop(worker)
  const perSecond = (took_ms: number) => rateSpreadOf([(count / took_ms) * 1000])
  const ours = perSecond(advanced - began)
  const reference = perSecond(await bareStatements(world, sender))
  bench.report.section(
    "Members advanced a second by one worker, wait – condition – send, beside bare statements of a thousand members each",
    [
      comparison(`${count.toLocaleString("en-US")} whose wait is over`, "/s", { reference, ours }, () =>
        bench.quick ? [] : [rateAtLeast(3_000, ours.median)],
      ),
      figure("until each message has left, and its member has completed", "/s", perSecond(mailed - began)),
    ],
    ["the worker sends at the same time, to a mailer that takes everything at once; a member advances by three steps"],
  )
}

/** Writes step, events and message of each member by hand, a thousand members a statement; returns how long it took. */
const bareStatements = async ({ inside }: World, { id }: Sender): Promise<number> => {
  await inside.asOwner("create table bare_member (nth bigint primary key, contact_id uuid, step text)")
  await inside.asOwner("create table bare_event (at timestamptz, contact_id uuid, type text)")
  await inside.asOwner("create table bare_message (contact_id uuid primary key, email text)")
  const [row] = await inside.asOwner<{ count: number }>(
    `with made as (insert into bare_member select row_number() over (), contact_id, 'rest' from contact
       where workspace_id = $1::uuid returning 1) select count(*)::int as count from made`,
    [id],
  )
  return timed(async () => {
    for (let from = 0; from < (row?.count ?? 0); from += 1_000) {
      await inside.asOwner(
        `with moved as (
           update bare_member m set step = case when c.city = 'Rome' then 'hello' else 'end' end from contact c
           where c.workspace_id = $1::uuid and c.contact_id = m.contact_id and m.nth > $2::int and m.nth <= $2::int + 1000
           returning m.contact_id, c.email
         ), noted as (
           insert into bare_event select now(), contact_id, type from moved, unnest(array['wait', 'check', 'send']) as type
         )
         insert into bare_message select contact_id, email from moved`,
        [id, from],
      )
    }
  })
}
