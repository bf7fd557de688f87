// Previews with a scripted AI: what the request contains, which answers are used, and that failures never prevent a preview.
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import * as Blobs from "@tentpole/adapters/memory/ports/BlobStore"
import { Ai, AiRefused, AiUnavailable, type ColumnMatch, type ColumnsRequest } from "@tentpole/core/ports/Ai"
import type { BlobStore } from "@tentpole/core/ports/BlobStore"
import { Fresh, settingsLayer, until } from "@tentpole/core/contract"
import { CustomFields } from "@tentpole/core/contacts/CustomFields"
import type { ImportSessionId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { CsvReader } from "@tentpole/core/imports/CsvReader"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { waiting_share_max } from "@tentpole/core/kernel/runtime/FairLimit"
import { reasonText } from "@tentpole/core/imports/mapping/Reasons"
import { Links } from "@tentpole/core/rendering/Links"
import { Imports, previews_share_max, uploads_path } from "@tentpole/core/imports/Imports"
import type { ImportPreview } from "@tentpole/core/imports/Preview"
import { assert, layer } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { memory, postgres } from "../fixtures/Stores.ts"

const settings = settingsLayer()

type Reply = Effect.Effect<ReadonlyArray<ColumnMatch>, AiRefused | AiUnavailable>

/** The AI of these tests. It records requests and returns the answers of the test. */
class Script extends Context.Service<Script, { requests: Array<ColumnsRequest>; reply: (times: number) => Reply }>()(
  "test/Script",
) {
  static readonly layer = Layer.sync(Script, () => ({ requests: [], reply: () => Effect.succeed([]) }))
}

const scripted = Layer.effect(
  Ai,
  Effect.map(Script, (script) =>
    Ai.of({
      provider: "test",
      generatePage: () => Effect.die("no page was requested"),
      generateEmail: () => Effect.die("no email is requested"),
      asksForPage: () => Effect.succeed(true),
      matchColumns: (_, request) => Effect.suspend(() => script.reply(script.requests.push(request))),
    }),
  ),
)

const useCases = Layer.merge(Imports.layer, CustomFields.layer).pipe(Layer.provide(Links.layer))
const around = Layer.mergeAll(settings, Csv.layer, Blobs.layer, scripted.pipe(Layer.provideMerge(Script.layer)))
const onMemory = useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(around))
const onPostgres = useCases.pipe(Layer.provideMerge(postgres), Layer.provideMerge(around))

type World = Imports | CustomFields | Script | Fresh | BlobStore | CsvReader

const file = "Email,Correo,Nombre,Talla\r\nann@example.com,carla@example.com,Carla Ruiz,38\r\n"
const says = (...matches: ReadonlyArray<readonly [string, string]>) =>
  Effect.succeed(matches.map(([header, targetField]) => ({ header, targetField })))
const fieldsOf = ({ proposedMappings }: ImportPreview) => proposedMappings.map(({ targetField }) => targetField)
const reasonOf = ({ proposedMappings }: ImportPreview) => reasonText(proposedMappings.at(-1)?.reasons ?? [])

const previewIn = (id: WorkspaceId, session: ImportSessionId) =>
  Effect.flatMap(Imports, ({ preview }) => preview({ id, defaultCountry: "US" }, session))

const suggestionsOn = <E>(name: string, world: Layer.Layer<World, E>) =>
  layer(world, { excludeTestServices: true })(`column suggestions on ${name}`, (it) => {
    const put = Effect.fnUntraced(function* (uploadUrl: string, content: string) {
      const token = uploadUrl.replace(`http://api.test${uploads_path}/`, "")
      yield* (yield* Imports).upload(token, Stream.succeed(Buffer.from(content)))
    })

    /** A session with a file, and an AI with these answers. */
    const uploaded = Effect.fnUntraced(function* (reply: (times: number) => Reply, content = file) {
      const [imports, script] = [yield* Imports, yield* Script]
      const workspace = yield* (yield* Fresh).workspace()
      const options = { fileName: "a.csv", contentType: "text/csv" }
      const { session, uploadUrl } = yield* imports.beginUpload(workspace, options)
      yield* put(uploadUrl, content)
      Object.assign(script, { requests: [], reply })
      const preview = previewIn(workspace, session.id)
      return { workspace, session, preview, replace: (text: string) => put(uploadUrl, text), script }
    })

    it.effect("the AI request contains no cell values", () =>
      Effect.gen(function* () {
        const { preview, script } = yield* uploaded(() => says())
        yield* preview
        const [request] = script.requests
        assert.deepStrictEqual(request?.columns, [
          { header: "Correo", shapes: ["aaaaa@aaaaaaa.aaa"] },
          { header: "Nombre", shapes: ["Aaaaa Aaaa"] },
          { header: "Talla", shapes: ["99"] },
        ])
        const text = JSON.stringify(request).toLowerCase()
        for (const value of ["carla", "ruiz", "ann@", "example.com", "38"]) assert.notInclude(text, value)
      }),
    )

    it.effect("the same file with the same fields needs one AI request and has the same preview", () =>
      Effect.gen(function* () {
        const { preview, script } = yield* uploaded((times) => says(["Nombre", times === 1 ? "first_name" : "company"]))
        const first = yield* preview
        assert.deepStrictEqual(fieldsOf(first), ["email", null, "first_name", null])
        assert.deepStrictEqual(yield* preview, first)
        assert.strictEqual(script.requests.length, 1)
      }),
    )

    it.effect("an answer without a match is stored", () =>
      Effect.gen(function* () {
        const { preview, script } = yield* uploaded(() => says(["Nombre", "no_such"], ["Email", "phone"]))
        const first = yield* preview
        assert.deepStrictEqual(fieldsOf(first), ["email", null, null, null])
        assert.deepStrictEqual([yield* preview, script.requests.length], [first, 1])
      }),
    )

    it.effect("another file or other fields need another AI request", () =>
      Effect.gen(function* () {
        const { workspace, preview, replace, script } = yield* uploaded(() =>
          says(["Talla", "shoe_size"], ["Nombre", "first_name"]),
        )
        assert.deepStrictEqual(fieldsOf(yield* preview), ["email", null, "first_name", null])
        const wanted = {
          apiName: "shoe_size",
          displayName: "Shoe size",
          valueType: "number",
          isEditable: true,
          description: null,
          showInPeopleListDefault: false,
        } as const
        const fields = yield* CustomFields
        const [field] = yield* fields.create(workspace, [wanted], () => "")
        assert.deepStrictEqual(fieldsOf(yield* preview), ["email", null, "first_name", "shoe_size"])
        assert.strictEqual(script.requests.length, 2)
        if (field !== undefined) yield* fields.archive(workspace, field.id)
        assert.deepStrictEqual(fieldsOf(yield* preview), ["email", null, "first_name", null])
        assert.strictEqual(script.requests.length, 3)
        yield* replace("Email,Nombre\r\nann@example.com,Ann\r\n")
        assert.deepStrictEqual(fieldsOf(yield* preview), ["email", "first_name"])
        assert.strictEqual(script.requests.length, 4)
      }),
    )

    it.effect("a preview works when the AI refuses, is unavailable or fails, and the next one requests again", () =>
      Effect.gen(function* () {
        for (const [reply, reason] of [
          [Effect.fail(new AiRefused({ reason: "secret" })), /the AI gave no usable answer$/],
          [Effect.fail(new AiUnavailable({ reason: "secret" })), /the AI could not be reached$/],
          [Effect.die("a bug"), /the AI broke$/],
        ] as const) {
          const { preview, script } = yield* uploaded((times) => (times === 1 ? reply : says(["Talla", "company"])))
          const first = yield* preview
          assert.deepStrictEqual(fieldsOf(first), ["email", null, null, null])
          assert.match(reasonOf(first), reason)
          assert.deepStrictEqual(fieldsOf(yield* preview), ["email", null, null, "company"])
          assert.strictEqual(script.requests.length, 2)
        }
      }),
    )

    it.effect("concurrent previews agree even if the AI's answers differ", () =>
      Effect.gen(function* () {
        const names = ["first_name", "last_name", "company", "city"]
        const { preview } = yield* uploaded((times) =>
          Effect.delay(says(["Nombre", names[times % 4] ?? ""]), `${times * 7} millis`),
        )
        const all = yield* Effect.all(
          Array.from({ length: 6 }, () => preview),
          { concurrency: 6 },
        )
        for (const each of all) assert.deepStrictEqual(each, all[0])
        assert.deepStrictEqual(yield* preview, all[0])
        assert.isNotNull(fieldsOf(yield* preview)[2])
      }),
    )

    it.effect("the preview of an executed session stays the same", () =>
      Effect.gen(function* () {
        const { workspace, session, preview, script } = yield* uploaded(() => says(["Nombre", "first_name"]))
        const first = yield* preview
        const mapping = {
          header: "Email",
          targetField: "email",
          targetKind: null,
          overwriteBehavior: "overwrite",
        } as const
        yield* (yield* Imports).execute(workspace, session.id, {
          as: "contacts",
          suppressionReason: null,
          mappings: [mapping],
          duplicateStrategy: "update",
          overwriteBlankOnly: false,
          onInvalidCell: "skip_row",
          listIds: [],
          createdFieldDefinitionIds: [],
          consent: null,
        })
        assert.deepStrictEqual([yield* preview, script.requests.length], [first, 1])
      }),
    )
  })

suggestionsOn("memory", onMemory)
suggestionsOn("postgres", onPostgres)

layer(onMemory)("the wait for a silent AI", (it) => {
  it.effect("is limited to ten seconds, and the preview reports it", () =>
    Effect.gen(function* () {
      const [imports, script] = [yield* Imports, yield* Script]
      const workspace = yield* (yield* Fresh).workspace()
      const asked = yield* Deferred.make<void>()
      script.reply = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      const session = yield* imports.beginRows(workspace, [{ Email: "ann@example.com", Talla: 38 }], null)
      const waiting = yield* Effect.forkChild(previewIn(workspace, session.id))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const preview = yield* Fiber.join(waiting)
      assert.deepStrictEqual(fieldsOf(preview), ["email", null])
      assert.match(reasonOf(preview), /the AI did not answer within 10 seconds$/)
    }),
  )
})

layer(onMemory)("concurrent previews", (it) => {
  it.effect("a workspace has a share and a queue, beyond which it is unavailable, while others are served", () =>
    Effect.gen(function* () {
      const [imports, fresh, script] = [yield* Imports, yield* Fresh, yield* Script]
      const answered = yield* Deferred.make<ReadonlyArray<ColumnMatch>>()
      Object.assign(script, { requests: [], reply: () => Deferred.await(answered) })
      const previewing = Effect.fnUntraced(function* () {
        const workspace = yield* fresh.workspace()
        const { id } = yield* imports.beginRows(workspace, [{ Email: "ann@example.com", Talla: 38 }], null)
        return Effect.forkChild(previewIn(workspace, id), { startImmediately: true })
      })
      const [ours, others] = [yield* previewing(), yield* previewing()]
      const accepted = yield* Effect.replicateEffect(ours, previews_share_max + waiting_share_max)
      const refused = yield* Effect.exit(Effect.flatMap(ours, Fiber.join))
      assert.instanceOf(Exit.isFailure(refused) ? Cause.squash(refused.cause) : null, Unavailable)
      const served = yield* others
      yield* TestClock.withLive(until(() => script.requests.length > previews_share_max))
      assert.lengthOf(script.requests, previews_share_max + 1)
      yield* Deferred.succeed(answered, [])
      for (const fiber of [...accepted, served]) assert.lengthOf((yield* Fiber.join(fiber)).proposedMappings, 2)
    }),
  )
})
