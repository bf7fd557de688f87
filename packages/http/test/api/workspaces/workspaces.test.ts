// Tests of the caller's workspace: its overview, and four eyes.
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import type { Role } from "@tentpole/core/workspaces/Role"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Answered, type Call, serving, servingOver, worldWith } from "../../fixtures/World.ts"

/** Callers with a key of their own each, in the first workspace. */
const callers = Effect.fnUntraced(function* (on: Effect.Success<ReturnType<typeof serving>>) {
  const workspaces = Context.get(on.context, Workspaces)
  const { workspace } = yield* workspaces.bootstrap({ apiKey: null })
  const callerWith = Effect.fnUntraced(function* (name: string, role: Role) {
    const { raw } = yield* workspaces.createKey(workspace.id, { name, role })
    const authorization = `Bearer ${raw}`
    const call: Call = (method, path, sent = {}) => on.call(method, path, { ...sent, headers: { authorization } })
    return call
  }, Effect.orDie)
  return { callerWith, workspace, workspaces }
})

describe("the overview of the workspace", () => {
  it.live("has settings, limits, domains, how mail leaves, and the role of the caller", () =>
    Effect.gen(function* () {
      const { callerWith, workspace } = yield* callers(yield* serving(Api, handlers))
      const viewer = yield* callerWith("report", "viewer")
      const { json, status } = yield* viewer("GET", "/v1/workspace")
      assert.strictEqual(status, 200)
      assert.deepInclude(json, {
        workspace_id: workspace.id,
        name: "default",
        slug: "default",
        plan: "max",
        credits: 1000,
        time_zone: "UTC",
        four_eyes: false,
        consent: {
          marketing_consent: "assumed",
          confirmation_days: 7,
          confirmation_email_id: null,
          confirmations_per_hour: 1000,
          privacy_url: null,
          one_click: "topic",
        },
        sending: "on",
        mail: "smtp",
        ai: "sample",
        page_domain: null,
        role: "viewer",
      })
      assert.deepStrictEqual(json.limits, {
        published_tents_max: null,
        emails_per_day_max: null,
        contacts_max: null,
        recipients_per_blast_max: null,
        flows: true,
        branding_removable: true,
      })
      assert.deepStrictEqual(json.domains, [{ domain: "example.test", status: "verified" }])
      assert.strictEqual((yield* (yield* callerWith("all", "owner"))("GET", "/v1/workspace")).json.role, "owner")
    }).pipe(Effect.scoped),
  )

  it.live("says when nothing leaves: sending is held, or mail is written to files", () =>
    Effect.gen(function* () {
      const { callerWith } = yield* callers(
        yield* servingOver(worldWith({ sending: "held", mail: "files" }), Api, handlers),
      )
      const { json } = yield* (yield* callerWith("report", "viewer"))("GET", "/v1/workspace")
      assert.deepInclude(json, { sending: "held", mail: "files" })
    }).pipe(Effect.scoped),
  )
})

const outcome = ({ json, status }: Answered) => (status < 300 ? status : json.error_code)

describe("four eyes", () => {
  const begin = Effect.gen(function* () {
    const { callerWith, workspace, workspaces } = yield* callers(yield* serving(Api, handlers))
    const [ann, ben] = [yield* callerWith("Ann", "sender"), yield* callerWith("Ben", "sender")]
    const setFourEyes = (fourEyes: boolean) => workspaces.update(workspace.id, { fourEyes })
    const { items } = (yield* ann("POST", "/v1/contacts", { json: { items: [{ email: "p@example.org" }] } })).json
    const header = { name: "News", subject: "Hi", html: "<p>Hi</p>", from_name: "A", from_address: "a@example.test" }
    const { email_id } = (yield* ann("POST", "/v1/emails", { json: { ...header, reply_to_email: "a@example.test" } }))
      .json
    const blast = Effect.gen(function* () {
      const { blast_id } = (yield* ann("POST", "/v1/email-blasts", { json: { name: "News" } })).json
      const audience = { source: "inline", kind: "static", contact_ids: [items[0].contact_id] }
      yield* ann("PUT", `/v1/email-blasts/${blast_id}/audience`, { json: audience })
      yield* ann("PUT", `/v1/email-blasts/${blast_id}/email`, { json: { source: "existing", email_id } })
      return `/v1/email-blasts/${blast_id}`
    })
    const email = `/v1/emails/${email_id}`
    const approve = (caller: Call) => Effect.map(caller("POST", `${email}/approve`, { json: {} }), outcome)
    const schedule = (caller: Call, at: string) =>
      Effect.map(caller("POST", `${at}/schedule`, { json: { scheduled_at: "2099-05-01T10:00:00Z" } }), outcome)
    const send = (caller: Call, at: string) => Effect.map(caller("POST", `${at}/send-now`, { json: {} }), outcome)
    return { ann, approve, ben, blast, email, schedule, send, setFourEyes }
  })

  it.live("are not required unless the workspace says so", () =>
    Effect.gen(function* () {
      const { ann, approve, blast, send } = yield* begin
      assert.strictEqual(yield* approve(ann), 200)
      assert.strictEqual(yield* send(ann, yield* blast), 202)
    }).pipe(Effect.scoped),
  )

  it.live("require another person than the last editor to approve, and another one than the approver to send", () =>
    Effect.gen(function* () {
      const { ann, approve, ben, blast, schedule, send, setFourEyes } = yield* begin
      yield* setFourEyes(true)
      assert.strictEqual(yield* approve(ann), "another_person_needed")
      assert.strictEqual(yield* approve(ben), 200)
      const first = yield* blast
      assert.strictEqual(yield* schedule(ben, first), "another_person_needed")
      assert.strictEqual(yield* send(ben, first), "another_person_needed")
      assert.strictEqual(yield* schedule(ann, first), 200)
      assert.strictEqual(yield* send(ann, yield* blast), 202)
    }).pipe(Effect.scoped),
  )

  it.live("count each kind of edit, and an unchanged email as none", () =>
    Effect.gen(function* () {
      const { ann, approve, ben, email, setFourEyes } = yield* begin
      yield* setFourEyes(true)
      const edits: ReadonlyArray<(caller: Call, text: string) => Effect.Effect<Answered>> = [
        (caller, text) => caller("PUT", `${email}/content`, { json: { html: `<p>${text}</p>` } }),
        (caller, text) => caller("PUT", `${email}/plain-text`, { json: { text } }),
        (caller, subject) => caller("PATCH", email, { json: { subject } }),
      ]
      for (const edit of edits) {
        assert.isBelow((yield* edit(ben, "one")).status, 300)
        assert.strictEqual(yield* approve(ben), "another_person_needed")
        assert.strictEqual(yield* approve(ann), 200)
        assert.isBelow((yield* edit(ann, "two")).status, 300)
        assert.strictEqual(yield* approve(ann), "another_person_needed")
      }
      yield* ben("PATCH", email, { json: { subject: "two" } })
      assert.strictEqual(yield* approve(ann), "another_person_needed")
      yield* setFourEyes(false)
      assert.strictEqual(yield* approve(ann), 200)
    }).pipe(Effect.scoped),
  )
})
