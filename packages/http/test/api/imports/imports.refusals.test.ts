// Tests of well-formed requests that imports refuse, with both adapters. The session stays usable.
import { signLink } from "@tentpole/core/ports/SignedLink"
import { ImportRunId, ImportSessionId } from "@tentpole/core/kernel/Ids"
import { tagged } from "@tentpole/core/contract"
import { session_lifetime_ms } from "@tentpole/core/imports/Import"
import { ImportChange } from "@tentpole/core/imports/machine"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { Imports, uploads_path } from "@tentpole/core/imports/Imports"
import { ImportStore } from "@tentpole/core/imports/ImportStore"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import type { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Result, Stream } from "effect"
import { tenants } from "../../attacks/AttackFixture.ts"
import { listeningOver } from "../../fixtures/Listening.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Answered, type Json, testKey, unknownId, world } from "../../fixtures/World.ts"

const imports = "/v1/contacts/imports"

type Needs = Workspaces | Imports | ImportRuns | ImportStore | Transactor | Secrets
type World = Effect.Success<ReturnType<typeof tenants<Needs, never>>>

class Served extends Context.Service<Served, World>()("test/ServedForRefusals") {}

const served = <Out, E>(over: Layer.Layer<Out | Needs, E>) => Layer.effect(Served, tenants<Out | Needs, E>(over))

let drawn = 0

const refusal = ({ status, json }: Answered) => [
  status,
  json.error_code,
  (json.details.issues ?? []).map((issue: Json) => issue.path),
]

const refused = <Out, E>(name: string, over: Layer.Layer<Out | Needs, E>) =>
  layer(served(over), { excludeTestServices: true })(`imports on ${name}`, (it) => {
    const begin = Effect.gen(function* () {
      const { tenant, context } = yield* Served
      const { call, workspace } = yield* tenant(`refusals-${++drawn}`)
      const rowSession = Effect.fnUntraced(function* (rows: ReadonlyArray<object>) {
        const { json } = yield* call("POST", imports, { json: { source: "rows", rows } })
        return String(json.import_session_id)
      })
      const execute = (session: string, json: Json) => call("POST", `${imports}/${session}/execute`, { json })
      const run = (id: string) => Context.get(context, ImportRuns).run(workspace, ImportRunId.make(id))
      return { call, workspace, context, rowSession, execute, run, imports: Context.get(context, Imports) }
    })

    const email = { header: "Email", target_field: "email" }

    it.effect("refuses rows with too many columns before they are stored", () =>
      Effect.gen(function* () {
        const { call } = yield* begin
        const rows = (count: number, keys: number) =>
          Array.from({ length: count }, (_, row) =>
            Object.fromEntries(Array.from({ length: keys }, (__, key) => [`c${row}-${key}`, ""])),
          )
        for (const many of [rows(1, 2001), rows(100, 50)]) {
          const answered = yield* call("POST", imports, { json: { source: "rows", rows: many } })
          assert.deepStrictEqual(refusal(answered), [400, "validation_failed", ["rows"]])
          assert.include(answered.json.message, "must have at most 2000 different keys")
        }
        assert.strictEqual((yield* call("POST", imports, { json: { source: "rows", rows: rows(40, 50) } })).status, 201)
      }),
    )

    it.effect("an invalid execution reports its paths, and the session can still be executed", () =>
      Effect.gen(function* () {
        const { call, rowSession, execute } = yield* begin
        const session = yield* rowSession([{ Email: "a@b.co", Shoe: 42, "First name": "Ann" }])
        const made = (path: string, json: Json) => Effect.map(call("POST", path, { json }), (answered) => answered.json)
        const dynamic = yield* made("/v1/contact-lists", { name: "D", kind: "dynamic" })
        const lists = yield* call("GET", "/v1/contact-lists")
        const system = lists.json.lists.find((list: Json) => list.kind === "system")
        const fields = yield* made("/v1/contact-fields", { display_name: "Old", api_name: "old", value_type: "string" })
        yield* call("DELETE", `/v1/contact-fields/${fields.items[0].field_definition_id}`)
        const to = (header: string, target_field: string, more = {}) => ({ header, target_field, ...more })
        const cases: ReadonlyArray<readonly [string, Json, ReadonlyArray<string>]> = [
          ["an unknown field", { mappings: [email, to("Shoe", "shoe_size")] }, ["mappings.1.target_field"]],
          ["an inherited key", { mappings: [email, to("Shoe", "__proto__")] }, ["mappings.1.target_field"]],
          ["a read-only field", { mappings: [email, to("Shoe", "created_at")] }, ["mappings.1.target_field"]],
          ["an archived field", { mappings: [email, to("Shoe", "old")] }, ["mappings.1.target_field"]],
          [
            "another kind",
            { mappings: [email, to("Shoe", "city", { target_kind: "custom" })] },
            ["mappings.1.target_kind"],
          ],
          ["two columns for one field", { mappings: [email, to("Shoe", "email")] }, ["mappings.1.target_field"]],
          ["one twice", { mappings: [email, to("Email", "city")] }, ["mappings.1.header"]],
          ["an unknown column", { mappings: [email, to("constructor", "city")] }, ["mappings.1.header"]],
          ["no identifier", { mappings: [to("Shoe", "city")] }, ["mappings"]],
          ["a dynamic list", { mappings: [email], list_ids: [dynamic.list_id] }, ["list_ids.0"]],
          ["a system list", { mappings: [email], list_ids: [system.list_id] }, ["list_ids.0"]],
          ["501 lists", { mappings: [email], list_ids: Array.from({ length: 501 }, () => unknownId) }, ["list_ids"]],
        ]
        for (const [what, json, where] of cases) {
          assert.deepStrictEqual(refusal(yield* execute(session, json)), [400, "validation_failed", where], what)
        }
        const none = yield* execute(session, { mappings: [email], list_ids: [unknownId] })
        assert.deepStrictEqual(refusal(none), [404, "not_found", ["list_ids.0"]])
        assert.strictEqual((yield* execute(session, { mappings: [email] })).status, 202)
        const twice = yield* execute(session, { mappings: [email] })
        assert.deepStrictEqual(refusal(twice), [409, "invalid_state", []])
      }),
    )

    it.effect("an expired session is 404, and its URL accepts no upload", () =>
      Effect.gen(function* () {
        const { call, execute, workspace, context, imports: useCases } = yield* begin
        const id = ImportSessionId.make("00000000-0000-7000-8000-0000000000ee")
        const long_ago = DateTime.subtract(yield* DateTime.now, { milliseconds: session_lifetime_ms })
        const file = { source: "upload", fileName: "a.csv", contentType: "text/csv" } as const
        const store = Context.get(context, ImportStore)
        const change = ImportChange.begin(workspace, id, file, long_ago)
        yield* Context.get(context, Transactor).transact(store.apply(workspace, change))
        const preview = yield* call("POST", `${imports}/${id}/preview`)
        assert.deepStrictEqual(refusal(preview), [404, "not_found", []])
        assert.deepStrictEqual(refusal(yield* execute(id, { mappings: [email] })), [404, "not_found", []])
        const expiresAt = DateTime.add(yield* DateTime.now, { minutes: 5 })
        const token = signLink(Context.get(context, Secrets), "import_upload", {
          workspaceId: workspace,
          id,
          expiresAt,
        })
        const sent = yield* Effect.result(useCases.upload(token, Stream.succeed(Buffer.from("Email\na@b.co"))))
        assert.strictEqual(Result.isFailure(sent) && sent.failure.code, "link_refused")
      }),
    )

    const signedLinkTest = tagged(it.effect, "attack/signed-link")
    signedLinkTest("expired and foreign URLs accept no upload", () =>
      Effect.gen(function* () {
        const { workspace, context, imports: useCases } = yield* begin
        const { session, uploadUrl } = yield* useCases.beginUpload(workspace, {
          fileName: "a.csv",
          contentType: "text/csv",
        })
        const secrets = Context.get(context, Secrets)
        const now = yield* DateTime.now
        const link = { workspaceId: workspace, id: session.id, expiresAt: DateTime.add(now, { minutes: 5 }) }
        const good = uploadUrl.slice(uploadUrl.indexOf(`${uploads_path}/`) + uploads_path.length + 1)
        const bytes = Stream.succeed(Buffer.from("Email\na@b.co"))
        for (const token of [
          signLink(secrets, "import_upload", { ...link, expiresAt: DateTime.subtract(now, { seconds: 1 }) }),
          signLink(secrets, "export", link),
          signLink(secrets, "import_upload", { ...link, id: unknownId }),
          `${good.slice(0, -2)}AA`,
          "",
        ]) {
          const sent = yield* Effect.result(useCases.upload(token, bytes))
          assert.strictEqual(Result.isFailure(sent) && sent.failure.code, "link_refused", token)
        }
        yield* useCases.upload(good, bytes)
      }),
    )

    const prototypeKeyTest = tagged(it.effect, "attack/prototype-key")
    prototypeKeyTest("columns can have names of Object.prototype", () =>
      Effect.gen(function* () {
        const { call, rowSession, execute, run, workspace, imports: useCases } = yield* begin
        const rows: Json = JSON.parse(`[{"Email":"rows@b.co","__proto__":"of rows","constructor":"x","toString":"y"}]`)
        const { session, uploadUrl } = yield* useCases.beginUpload(workspace, {
          fileName: "__proto__",
          contentType: "text/csv",
        })
        const text = "Email,__proto__,constructor,toString\nfile@b.co,of file,x,y\nnobody,a,b,c"
        const token = uploadUrl.slice(uploadUrl.lastIndexOf("/") + 1)
        yield* useCases.upload(token, Stream.succeed(Buffer.from(text)))
        for (const [id, first_name] of [
          [yield* rowSession(rows), "of rows"],
          [session.id, "of file"],
        ] as const) {
          const preview = yield* call("POST", `${imports}/${id}/preview`)
          assert.deepStrictEqual(preview.json.headers, ["Email", "__proto__", "constructor", "toString"])
          assert.include(preview.text, `"__proto__":"${first_name}"`)
          const mappings = [email, { header: "__proto__", target_field: "first_name" }]
          const { json } = yield* execute(id, { mappings })
          yield* run(json.import_run_id)
          const found = yield* call("GET", `/v1/contacts?email=${first_name.slice(3)}@b.co`)
          assert.strictEqual(found.json.items[0].first_name, first_name)
          const exported = yield* call("GET", `${imports}/${json.import_run_id}/export`)
          assert.include(exported.text, '"Email","__proto__","constructor","toString","row_number"')
        }
        assert.isUndefined(Reflect.get({}, "polluted"))
      }),
    )
  })

refused("memory", world)
refused("PostgreSQL", postgresWorld)

const jsonBombTest = tagged(it.live, "attack/json-bomb")
jsonBombTest("the listener refuses rows of more than 5 MB", () =>
  Effect.gen(function* () {
    const { context, tenant } = yield* tenants(world)
    yield* tenant("any")
    const { api: port } = yield* listeningOver(context)
    const post = (note_bytes: number) =>
      Effect.promise(async () => {
        const answer = await fetch(`http://127.0.0.1:${port}${imports}`, {
          method: "POST",
          headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
          body: JSON.stringify({ source: "rows", rows: [{ Email: "a@b.co", Note: "x".repeat(note_bytes) }] }),
        })
        const json: Json = await answer.json()
        return [answer.status, json.error_code]
      })
    assert.deepStrictEqual(yield* post(5 * 2 ** 20), [413, "payload_too_large"])
    assert.deepStrictEqual(yield* post(4 * 2 ** 20), [201, undefined])
  }).pipe(Effect.scoped),
)
