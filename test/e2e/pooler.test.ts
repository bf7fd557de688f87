// Tests of the whole service through PgBouncer in transaction mode. `npm run test:postgres` starts one.
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { Effect, Redacted } from "effect"
import { assert, inject, it } from "vitest"
import { statement } from "../support/Owner.ts"
import { Service, tentpole, until } from "../support/Service.ts"

const pooler = inject("pgPooler")

it.skipIf(pooler === null)(
  "refuses a login without the session's settings, and names the statements that set them",
  async () => {
    const direct = await Effect.runPromise(clone("pooler"))
    const { pathname } = new URL(Redacted.value(direct))
    const environment = { DATABASE_URL: `${pooler}${pathname}`, DATABASE_DIRECT_URL: Redacted.value(direct) }
    const service = await Service.prepare(environment)
    try {
      const refused = await tentpole(["http"], service.environment)
      assert.strictEqual(refused.code, 1)
      // The tests' login has a longer timeout than the service's.
      const [, wanted] =
        /Run: (alter role "tentpole_pooled" in database \S+ set statement_timeout = '15000';) Then/.exec(
          refused.output,
        ) ?? []
      assert.isDefined(wanted, refused.output)
      await statement(Redacted.make(`${inject("pgServer")}${pathname}`), wanted ?? "")
      // The pooler closes sessions, which have the old settings, when they were idle for five seconds.
      await until(
        "the new settings",
        async () => (await tentpole(["doctor"], service.environment)).output.includes("session settings") === false,
        { every_ms: 7_000 },
      )
      await service.start()
      const contact = await service.call("POST", "/v1/contacts", { items: [{ email: "ann@x.test" }] })
      assert.isBelow(contact.status, 300, contact.text)
      const listed = await service.call("GET", "/v1/contacts")
      assert.strictEqual(listed.status, 200, listed.text)
      assert.include(listed.text, "ann@x.test")
    } finally {
      await service.remove()
    }
  },
)
