import { sampled } from "@tentpole/core/contract"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { EventContact, eventTypeNames, eventTypes, publicTypes } from "@tentpole/core/webhooks/EventCatalogue"
import { EventId } from "@tentpole/core/webhooks/EventId"
import { event_bytes_max, publicEvent } from "@tentpole/core/webhooks/PublicEvent"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const workspace = WorkspaceId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c01")
const contactId = ContactId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c02")
const at = DateTime.makeUnsafe("2026-05-01T09:30:00.000Z")
const ann: typeof EventContact.Type = {
  contact_id: contactId,
  email: "ann@example.org",
  phone: null,
  display_name: "Ann Lee",
}

const shown = (type: string, data: Readonly<Record<string, unknown>>, by: ContactId | null = contactId) =>
  publicEvent(workspace, { event: { type, contactId: by, at, data, position: "2602" }, contact: by && ann })

const bytesOf = (event: unknown) => encodeText(JSON.stringify(event)).length

describe("Event catalogue", () => {
  it("has an example of each type that its schema accepts, and one type for each event of the outbox", () => {
    for (const type of eventTypeNames) {
      const { data, example }: { data: Schema.Codec<unknown>; example: unknown } = eventTypes[type]
      const decode = Schema.decodeUnknownSync(data, { onExcessProperty: "error" })
      assert.deepStrictEqual(decode(example), example, type)
    }
    assert.strictEqual(publicTypes.size, eventTypeNames.length)
  })

  it("an event of the outbox with the data of an example becomes the example", () => {
    for (const type of eventTypeNames) {
      const { data, example, outbox }: { data: Schema.Codec<unknown>; example: object; outbox: string } =
        eventTypes[type]
      const { bounce, contact, source, ...others }: Record<string, unknown> = { ...example }
      const inside = {
        ...others,
        ...(typeof source === "string" ? { source } : (source as object | undefined)),
        ...(bounce as object | undefined),
      }
      const event = publicEvent(workspace, {
        event: { type: outbox, contactId: contact === undefined ? null : contactId, at, data: inside, position: "1" },
        contact: (contact as EventContact | undefined) ?? null,
      })
      assert(event !== null)
      assert.deepStrictEqual(event.data, example, type)
      assert.isTrue(Schema.is(data)(event.data), type)
    }
  })
})

describe("PublicEvent", () => {
  it("has the envelope of the API", () => {
    const data = { blast_id: "b", recipient_id: "r", url: "https://example.org/a" }
    assert.deepStrictEqual(shown("email_clicked", data), {
      id: EventId.make("00000000-0000-8a2a-9c11-2f4f6a1b0c01"),
      type: "email.clicked",
      timestamp: "2026-05-01T09:30:00.000Z",
      sequence: "00000000000000000000000000000a2a",
      workspace_id: workspace,
      test: false,
      data: {
        contact: ann,
        source: { kind: "blast", blast_id: "b", topic_id: null },
        recipient_id: "r",
        url: "https://example.org/a",
      },
    })
  })

  it("names the flow's step that sent a message", () => {
    const source = { flow_id: "f", membership_id: "m", step_id: "s" }
    assert.deepStrictEqual(shown("email_sent", { ...source, recipient_id: "r" })?.data["source"], {
      kind: "flow",
      ...source,
      topic_id: null,
    })
  })

  it("has the id alone of a contact that is deleted, and no contact where there was none", () => {
    const event = { type: "form_submission", contactId, at, data: { fields: {} }, position: "1" }
    const blank = { contact_id: contactId, email: null, phone: null, display_name: null }
    assert.deepStrictEqual(publicEvent(workspace, { event, contact: null })?.data["contact"], blank)
    assert.isNull(shown("form_submission", { fields: {} }, null)?.data["contact"])
  })

  it("internal events have none, nor has the deletion of an inline audience", () => {
    assert.isNull(shown("list_rules_changed", { list_id: "l", list_name: "L" }, null))
    assert.isNull(shown("flow_edited", {}, null))
    assert.isNull(shown("list_deleted", { list_id: "l" }, null))
    assert.isNotNull(shown("list_deleted", { list_id: "l", list_name: "L" }, null))
  })

  it("a key of an answer may be the name of a prototype's property", () => {
    const fields: unknown = JSON.parse('{"constructor": "a", "__proto__": "b"}')
    assert.strictEqual(
      JSON.stringify(shown("form_submission", { fields })?.data["fields"]),
      '{"constructor":"a","__proto__":"b"}',
    )
  })

  it.prop(
    "has at most 64 KB, and is cut only if it would have more",
    {
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 })),
      length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })),
      letter: Schema.Literals(["a", "é", "\u2028", "\u{1f600}", '"']),
      long: Schema.Literals(["fields", "changes"]),
    },
    ({ count, length, letter, long }) => {
      const text = letter.repeat(Math.ceil(length / letter.length))
      const names = Array.from({ length: count }, (_, nth) => `field ${nth}`)
      const data =
        long === "fields"
          ? { fields: Object.fromEntries(names.map((name) => [name, text])) }
          : { changes: names.map((field) => ({ field, from: null, to: [text] })) }
      const event = shown(long === "fields" ? "form_submission" : "contact_updated", data)
      assert(event !== null)
      assert.isAtMost(bytesOf(event), event_bytes_max)
      const { truncated = false, ...shorter } = event.data
      assert.strictEqual(truncated, bytesOf({ ...event, data: { ...shorter, ...data } }) > event_bytes_max)
      assert.isTrue(JSON.stringify(event).isWellFormed())
    },
    { arbitrary: { runs: sampled(100) } },
  )
})
