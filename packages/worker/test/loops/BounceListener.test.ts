// Tests of the listener for bounces and complaints.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { ReturnPaths } from "@tentpole/core/bounces/ReturnPaths"
import { Links } from "@tentpole/core/rendering/Links"
import { DeliveryId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { start } from "@tentpole/worker/loops/BounceListener"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createTransport } from "nodemailer"
import { readFileSync } from "node:fs"
import { fakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { counts, sender, sendingBlast, until, workspace, world, written } from "../fixtures/WorkerFixture.ts"

const report = (file: string) =>
  readFileSync(new URL(`../../../../test/fixtures/reports/${file}`, import.meta.url), "utf8").replace(/\r?\n/g, "\r\n")

const bounce = report("01-postfix-unknown-user.eml")
const complaint = report("40-complaint-abuse.eml")
const vacation = report("47-vacation-program.eml")

const mailTo = (port: number, to: string, raw: string) =>
  Effect.promise(async () => {
    const transport = createTransport({ host: "127.0.0.1", port, ignoreTLS: true })
    try {
      await transport.sendMail({ envelope: { from: "", to }, raw })
      return 250
    } catch (error) {
      return typeof error === "object" && error !== null && "responseCode" in error ? error.responseCode : error
    } finally {
      transport.close()
    }
  })

const recipients = (workspace: WorkspaceId) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    fenced(sql)(
      workspace,
      sql<{
        readonly email: string
        readonly bounced: boolean
        readonly complained: boolean
        readonly delivered: boolean
        readonly invalid: boolean
        readonly unsubscribed: boolean
        readonly suppressed: string | null
      }>`select d.email, d.bounced_at is not null as bounced, d.complained_at is not null as complained,
          d.delivered_at is not null as delivered, c.marketing_email_invalid as invalid, c.unsubscribed,
          s.reason as suppressed
        from delivery d
        join contact c on c.workspace_id = ${workspace} and c.contact_id = d.contact_id
        left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = d.email_normalized
        where d.workspace_id = ${workspace} order by d.email`,
    ).pipe(Effect.orDie),
  )

const untouched = {
  bounced: false,
  complained: false,
  delivered: true,
  invalid: false,
  unsubscribed: false,
  suppressed: null,
}

layer(Layer.provideMerge(ReturnPaths.layer, world), { excludeTestServices: true })("returned mail", (it) => {
  it.effect("a bounce suppresses the recipient of its message, and no other", () =>
    Effect.gen(function* () {
      const workspaceId = yield* workspace
      const server = yield* fakeSmtp()
      const blast = yield* sendingBlast(workspaceId, 3)
      yield* Effect.forkScoped(sender(server.port))
      yield* until(Effect.map(counts(workspaceId, blast), ({ states }) => states["sent"] === 3))

      const links = yield* Links
      const port = yield* start({ host: "127.0.0.1", port: 0 })
      const [first, second, third] = (yield* written(workspaceId, blast)).toSorted((a, b) =>
        a.email < b.email ? -1 : 1,
      )
      assert(first && second && third)
      const pathOf = ({ id }: { readonly id: string }) =>
        links.of({ workspaceId, deliveryId: DeliveryId.make(id) }).returnPath("sender.test")

      assert.strictEqual(yield* mailTo(port, pathOf(first), bounce), 250)
      assert.strictEqual(yield* mailTo(port, pathOf(first), bounce), 250, "a repeated report is accepted")
      assert.strictEqual(yield* mailTo(port, pathOf(second), complaint), 250)
      assert.strictEqual(yield* mailTo(port, pathOf(third), vacation), 250)
      const forged = pathOf(third).replace(/.(?=@)/, (last) => (last === "A" ? "B" : "A"))
      assert.strictEqual(yield* mailTo(port, forged, bounce), 550)
      assert.strictEqual(yield* mailTo(port, "postmaster@bounce.sender.test", bounce), 550)

      assert.deepStrictEqual(yield* recipients(workspaceId), [
        { ...untouched, email: first.email, bounced: true, delivered: false, invalid: true, suppressed: "bounce" },
        { ...untouched, email: second.email, complained: true, unsubscribed: true, suppressed: "complaint" },
        { ...untouched, email: third.email },
      ])

      const again = yield* sendingBlast(workspaceId, 1, { prefix: "another" })
      yield* until(Effect.map(counts(workspaceId, again), ({ states }) => states["sent"] === 1))
    }),
  )
})
