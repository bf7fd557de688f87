// Tests that the attacks cover every operation and every id of the OpenAPI document. The attacks are in `AttackSuite.ts`.
import { tagged } from "@tentpole/core/contract"
import { objectIn } from "@tentpole/http/description/Json"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { nameOf } from "../AttackSuite.ts"
import { tenants as calls } from "../AttackFixture.ts"
import { parametersOf } from "../Attacks.ts"
import { operationsIn, parametersIn, tenants } from "../../fixtures/Described.ts"
import { idPositions, idsIn } from "../IdPositions.ts"
import { rooms } from "../Rooms.ts"
import { world } from "../../fixtures/World.ts"

/** Names that end in `_id` but are no ids of entities of a workspace. */
const ownWords: Readonly<Record<string, string>> = {
  after_step_id: "a step of the same flow",
  before_step_id: "a step of the same flow",
  client_item_id: "chosen by the caller, returned unchanged",
  content_id: "chosen by the caller, named by the HTML of the message",
  create_email_step_id: "a step of the same flow",
  default_step_id: "a step of the same flow",
  false_step_id: "a step of the same flow",
  form_id: "a form of the tent that is named beside it",
  next_step_id: "a step of the same flow",
  nodeId: "a step of the same flow",
  replacement_step_id: "a step of the same flow",
  step_id: "a step of the same flow",
  timeout_step_id: "a step of the same flow",
  true_step_id: "a step of the same flow",
  user_id: "chosen by the caller, recorded in the audit log",
}

/** Operations that the attacks cannot try, with the test that does. */
const triedElsewhere: Readonly<Record<string, string>> = {
  "GET /v1/email-blasts/{blastId}/audit": "reads PostgreSQL: packages/http/test/api/blasts",
  "GET /v1/merge-tokens": "its id is optional: packages/http/test/api/emails",
  "GET /v1/changes": "the answer does not end: packages/http/test/api/changes/changes.test.ts",
  "GET /v1/outbox": "needs mail in files: test/e2e/localMail.test.ts",
  "DELETE /v1/outbox": "needs mail in files: test/e2e/localMail.test.ts",
  "GET /v1/outbox/{message_id}": "needs mail in files: test/e2e/localMail.test.ts",
  "GET /v1/outbox/{message_id}/source": "needs mail in files: test/e2e/localMail.test.ts",
  "POST /v1/outbox/{message_id}/events": "needs mail in files: test/e2e/localMail.test.ts",
}

const lastOf = (place: string): string => place.slice(place.lastIndexOf(".") + 1)

const bodyOf = (described: Parameters<typeof objectIn>[0]) =>
  objectIn(objectIn(objectIn(objectIn(described, "requestBody"), "content"), "application/json"), "schema")

const operations = operationsIn(tenants)

/** Ids that are compared with those of the workspace's own events: nothing is looked up by them. */
const isCompared = (place: string): boolean => /\/v1\/webhook-endpoints\S*: filter\.\w+_ids\.\*$/.test(place)

describe("coverage of attacks", () => {
  it("attacks every operation once", { tags: ["attack/foreign-id"] }, () => {
    const wrong = operations.flatMap((operation) => {
      const its = rooms.filter((room) => room.operations.some((each) => nameOf(each) === nameOf(operation)))
      return its.length === (nameOf(operation) in triedElsewhere ? 0 : 1)
        ? []
        : [`${nameOf(operation)} is in ${its.map(({ name }) => name).join(" and ") || "none"}`]
    })
    assert.deepStrictEqual(wrong, [], "add it to a room in Rooms.ts, with a probe")
  })

  it("exempts every id-like name that is not a uuid", () => {
    const named = operations.flatMap(({ described }) =>
      idPositions(tenants, bodyOf(described))
        .filter(({ isUuid }) => !isUuid)
        .map(({ place }) => lastOf(place)),
    )
    assert.sameMembers([...new Set(named)], Object.keys(ownWords))
  })

  const foreignIdTest = tagged(it.effect, "attack/foreign-id")
  foreignIdTest("tries every id in path, query and body with another workspace's id", () =>
    Effect.gen(function* () {
      const { tenant, context } = yield* calls(world)
      const untried: Array<string> = []
      for (const room of rooms) {
        const side = yield* tenant(room.name.replaceAll(" ", "-"))
        const { estate, ids, rights } = yield* room.settle(side, "ours", context)
        for (const operation of room.operations) {
          const described = operations.find((each) => nameOf(each) === nameOf(operation))
          if (described === undefined) continue
          const asked = parametersIn(described)
            .filter((each) => each["in"] === "query" && /(_id|Id|IdOrAlias)$/.test(String(each["name"])))
            .map((each) => String(each["name"]))
          const absent = [...parametersOf(operation.path), ...asked].filter((name) => !(name in estate))
          const schema = bodyOf(described.described)
          const bodies = rights(operation).map(({ sent }) => sent.json)
          const tried = bodies
            .flatMap((body) => idsIn(tenants, schema, body))
            .filter(({ value }) => ids.includes(String(value)))
          const missed = idPositions(tenants, schema)
            .filter(({ isUuid, place }) => isUuid && !tried.some((each) => each.place === place))
            .map(({ place }) => place)
          const places = [...absent, ...missed].map((place) => `${nameOf(operation)}: ${place}`)
          untried.push(...places.filter((place) => !isCompared(place)))
        }
      }
      assert.deepStrictEqual(untried, [], "add it to the estate and to the room's ids, and to the body of a probe")
    }),
  )
})

describe("idPositions", () => {
  const uuid = { type: "string", format: "uuid" }
  const one = (word: string) => ({ type: "string", enum: [word] })
  const node = {
    anyOf: [
      { type: "object", properties: { kind: one("leaf"), listId: uuid } },
      { type: "object", properties: { kind: one("group"), nodes: { type: "array", items: { $ref: "#/x/Node" } } } },
    ],
  }
  const description = { components: { schemas: { Node: node } } }
  const schema = {
    type: "object",
    properties: { items: { type: "array", items: uuid }, user_id: { type: "string" }, rules: { $ref: "#/x/Node" } },
  }

  it("finds ids in arrays, variants, recursive schemas and by name", () => {
    assert.deepStrictEqual(
      idPositions(description, schema).map(({ isUuid, place }) => [place, isUuid]),
      [
        ["items.*", true],
        ["user_id", false],
        ["rules(leaf).listId", true],
      ],
    )
  })

  it("finds ids in a body at any depth", () => {
    const leaf = (listId: string) => ({ kind: "leaf", listId })
    const body = { items: ["a"], rules: { kind: "group", nodes: [leaf("b"), { kind: "group", nodes: [leaf("c")] }] } }
    assert.deepStrictEqual(
      idsIn(description, schema, body).map(({ place, value }) => [place, value]),
      [
        ["items.*", "a"],
        ["rules(leaf).listId", "b"],
        ["rules(leaf).listId", "c"],
      ],
    )
  })
})
