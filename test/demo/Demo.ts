// A tour of the product in a minute: an import, a dynamic list, a blast, and a published page.
import { startBlast } from "../support/Blast.ts"
import { importProposed } from "../support/ImportCalls.ts"
import { answered, callsOf, type Service, until, visit } from "../support/Service.ts"
import type { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { bar, figures, say } from "./Progress.ts"

const people = 10_000
const cities = ["Rome", "Oslo", "Lima", "Kyoto", "Accra"]
const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"

const csv = (): string =>
  [
    "Email,First Name,Last Name,City,Company",
    ...Array.from(
      { length: people },
      (_, at) =>
        `person${at}@example.org,Person ${at},"Of, ${cities[at % cities.length]}",${cities[at % cities.length]},Company ${at % 97}`,
    ),
  ].join("\r\n")

const importPeople = async (service: Service) => {
  const progress = bar("importing people", people)
  const file = { name: "people.csv", text: csv() }
  const { run } = await importProposed(callsOf(service), file, ({ processed_rows }) => progress.at(processed_rows))
  progress.end(`created ${run.created_count}, failed ${run.error_count}`)
  return run
}

const makeList = async (service: Service) => {
  const rules = {
    kind: "group",
    operator: "and",
    conditions: [{ kind: "condition", source: "contact", field: "city", operator: "not_equals", value: "Oslo" }],
  }
  const list = await answered(service, "POST", "/v1/contact-lists", {
    name: "Everyone but Oslo",
    kind: "dynamic",
    rules,
  })
  const { member_count } = await answered(service, "GET", `/v1/contact-lists/${list.list_id}/member-count`)
  say(`  the list "${list.name}" holds ${member_count} of them`)
  return { listId: list.list_id as string, members: member_count as number }
}

const watchBlast = async (service: Service, blastId: string, members: number) => {
  const progress = bar("sending", members)
  const began = performance.now()
  const sent = await until(
    "the blast",
    async () => {
      const each = await answered(service, "GET", `/v1/email-blasts/${blastId}`)
      progress.at(each.details.blast_sent_count + each.details.blast_failed_count + each.details.blast_blocked_count)
      return (each.status === "sent" || each.status === "failed") && each
    },
    { within_ms: 300_000 },
  )
  const rate = Math.round(members / ((performance.now() - began) / 1000))
  progress.end(`${rate} a second`)
  return { details: sent.details, rate }
}

const publishPage = async (service: Service) => {
  const progress = bar("generating and viewing a page", 20)
  const tent = await answered(service, "POST", "/v1/tents", {
    name: "Spring bakery",
    prompt: "A landing page for a spring bakery sale with a sign-up form for the newsletter",
  })
  await until("the page", async () => (await answered(service, "GET", `/v1/tents/${tent.id}`)).status === "completed")
  const { publication } = await answered(service, "POST", `/v1/tents/${tent.id}/publish`, {
    custom_page_alias: "spring",
  })
  for (let view = 1; view <= 20; view++) {
    const page = await visit(publication.published_url, { "user-agent": `${browser} visitor/${view % 5}` })
    if (page.status !== 200) throw new Error(`the page answered ${page.status}`)
    progress.at(view)
  }
  const analytics = await until("the views", async () => {
    const each = await answered(service, "GET", "/v1/analytics/tent?tentIdOrAlias=spring")
    return each.pageviews >= 20 && each
  })
  progress.end(publication.published_url)
  return analytics
}

/** Returns whether every recipient is accounted for and none got two messages. */
export const demo = async (service: Service, sink: FakeSmtp): Promise<boolean> => {
  await service.start()
  const { worker } = await service.pids()
  say(`\n  API ${service.api}, pages ${service.pages}, mail caught on port ${sink.port}`)
  say(`  the worker is process ${worker}: kill -9 it while it sends, and see what happens\n`)
  const imported = await importPeople(service)
  const { listId, members } = await makeList(service)
  const blastId = await startBlast(callsOf(service), listId)
  const { details, rate } = await watchBlast(service, blastId, members)
  const analytics = await publishPage(service)
  const recipients = new Set(sink.messages.map((mail) => mail.to))
  const unconfirmed = await answered(service, "GET", `/v1/email-blasts/${blastId}/contacts?category=recipients&limit=1`)
  const accounted = details.blast_sent_count + details.blast_failed_count + details.blast_blocked_count
  const twice = sink.messages.length - recipients.size
  figures([
    ["people imported", imported.created_count],
    ["recipients of the blast", details.blast_recipient_count],
    ["sent", details.blast_sent_count],
    ["failed or unconfirmed", details.blast_failed_count],
    ["blocked", details.blast_blocked_count],
    ["messages the mail server got", sink.messages.length],
    ["people who got two", twice],
    ["messages a second", rate],
    ["page views", analytics.pageviews],
    ["visitors", analytics.visits],
    ["worker restarts", (await service.pids()).worker === worker ? 0 : "at least one"],
  ])
  const whole =
    accounted === details.blast_recipient_count && unconfirmed.pagination.total === details.blast_recipient_count
  const truthful = details.blast_sent_count <= sink.messages.length && twice === 0
  say(
    whole && truthful
      ? "  Every recipient is accounted for, and none got two messages.\n"
      : "  The figures do not add up!\n",
  )
  return whole && truthful
}
