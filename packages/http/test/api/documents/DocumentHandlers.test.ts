// Tests of the listings of versions and generations, of emails and of both kinds of templates.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Parts } from "../../fixtures/PagesWorld.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { servingOver, unknownId, world } from "../../fixtures/World.ts"

type Json = ReturnType<typeof JSON.parse>

const listings = <E>(name: string, over: Layer.Layer<Parts, E>) => {
  it.live(`${name}: versions say who made them, and generations are listed, for every kind of document`, () =>
    Effect.gen(function* () {
      const { call } = yield* servingOver(over, Api, handlers)
      const post = (path: string, json: object = {}) => call("POST", path, { json })
      const get = (path: string) => Effect.map(call("GET", path), ({ json }): Json => json)
      const makersAt = Effect.fnUntraced(function* (at: string) {
        const { versions } = yield* get(`${at}/versions`)
        return versions.map(({ approved, made_by, version }: Json) => [version, made_by, approved])
      })

      for (const kind of ["emails", "email-templates", "tent-templates"]) {
        const { json } = yield* post(`/v1/${kind}`, { name: "n", html: "<p>one é</p>" })
        const at = `/v1/${kind}/${json.email_id ?? json.template_id}`
        yield* call("PUT", `${at}/content`, { json: { html: "<p>two</p>" } })
        const first = yield* get(`${at}/versions?limit=1`)
        const [{ by_name, bytes, version }] = first.versions
        assert.deepStrictEqual([version, by_name], [2, json.created_by_name])
        assert.isAtLeast(bytes, 10)
        const second = yield* get(`${at}/versions?limit=1&cursor=${first.next_cursor}`)
        assert.deepStrictEqual([second.versions[0].version, second.next_cursor], [1, null])

        const { generation_id } = (yield* post(`${at}/generations`, { prompt: "A letter about chairs" })).json
        const { generations, next_cursor } = yield* get(`${at}/generations`)
        assert.deepStrictEqual([generations.length, next_cursor], [1, null])
        assert.deepStrictEqual(generations[0], yield* get(`${at}/generations/${generation_id}`))
        for (const listing of ["versions", "generations"]) {
          assert.strictEqual((yield* call("GET", `/v1/${kind}/${unknownId}/${listing}`)).status, 404)
          const broken = yield* call("GET", `${at}/${listing}?cursor=x`)
          assert.deepStrictEqual([broken.status, broken.json.error_code], [400, "invalid_cursor"])
        }
      }

      const template = (yield* post("/v1/email-templates", { name: "t", html: "<p>one</p>" })).json.template_id
      yield* post(`/v1/email-templates/${template}/approve`)
      yield* call("PUT", `/v1/email-templates/${template}/content`, { json: { html: "<p>two</p>" } })
      assert.deepStrictEqual(yield* makersAt(`/v1/email-templates/${template}`), [
        [2, "upload", false],
        [1, "upload", true],
      ])
      const email = (yield* post("/v1/emails", { name: "e", template_id: template })).json.email_id
      assert.deepStrictEqual(yield* makersAt(`/v1/emails/${email}`), [[1, "template", false]])
      const copy = (yield* post(`/v1/emails/${email}/duplicate`)).json.email_id
      assert.deepStrictEqual(yield* makersAt(`/v1/emails/${copy}`), [[1, "upload", false]])
    }),
  )
}

listings("memory", world)
listings("postgres", postgresWorld)
