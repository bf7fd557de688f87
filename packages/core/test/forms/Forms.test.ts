// Tests of form submissions: accepted fields, and the contact created from them.
import { fieldsByName, type ItemContext } from "@tentpole/core/contacts/batch/ContactItem"
import { type Answers, field_bytes_max, readAnswers, readVisitor, type SentFields } from "@tentpole/core/forms/Answers"
import { agreedText, consentOf } from "@tentpole/core/forms/FormConsent"
import { readForms } from "@tentpole/core/forms/Form"
import { SubmissionChange } from "@tentpole/core/forms/Submission"
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { ContactId, SubmissionId, TentId, TopicId } from "@tentpole/core/kernel/Ids"
import { honeypot_name, toPublished } from "@tentpole/core/tents/pages/PageDocument"
import { DateTime, Result } from "effect"
import { assert, describe, it } from "vitest"
import { field } from "../imports/FieldFixture.ts"

const id = (n: number) => `7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e0${n}`
const tentId = TentId.make(id(1))
const now = DateTime.makeUnsafe(1_000)

const formOf = (html: string, formId = "f") => {
  const form = readForms(tentId, toPublished(html, { tentId, branding: true })).get(formId)
  return form ?? assert.fail(`no form ${formId}`)
}

const form = formOf(`<form id=f><input name=email><input name=tags><textarea name=message></textarea></form>`)
const read = (...sent: SentFields) => Result.getOrThrow(readAnswers(form, sent))
const refused = (...sent: SentFields) =>
  Result.match(readAnswers(form, sent), { onSuccess: () => null, onFailure: (e) => e.code })

describe("Form definition", () => {
  it("has the named fields in their order, without files and the trap", () => {
    const declared = formOf(`<form id=f><fieldset><input name=b type=checkbox><input name=b type=checkbox></fieldset>
      <select name=a></select><input type=file name=cv><input type=reset name=r><input><input name=__proto__>
      <button name=plan value=1>Go</button></form><input name=outside>`)
    assert.deepStrictEqual(declared.fields, ["b", "a", "plan"])
    assert.strictEqual(declared.successUrl, null)
  })

  it("is identified by its id, else its name, else its place; an invalid id is ignored", () => {
    const ids = (html: string) => [...readForms(tentId, html).keys()]
    assert.deepStrictEqual(ids(`<form id=a></form><form name=b></form><form></form>`), ["a", "b", "form-3"])
    assert.deepStrictEqual(ids(`<form id=".."></form><form id="${"x".repeat(201)}" name=n></form>`), ["form-1", "n"])
  })

  it("merges two forms with one id: the fields of both and the first address to go on to", () => {
    const both = formOf(`<form id=f><input name=a></form><form id=f data-success-url=" /thanks "><input name=b></form>`)
    assert.deepStrictEqual([both.fields, both.successUrl], [["a", "b"], "/thanks"])
  })
})

describe("Consent of a form", () => {
  it("is named by the HTML, with the labels of its boxes and the text that a visitor reads", () => {
    const { checkboxes, consent, text } = formOf(`<form id=f data-topics=" News, offers" data-consent-field=letter>
      <h2>Our letter</h2><style>p{}</style><p hidden>Old</p><select name=s><option>1</select>
      <label><input type=checkbox name=letter> Yes, <b>send</b>
        it</label><input type=checkbox name=other id=o><label for=o>Offers</label>
      <input type=checkbox name=third aria-label="By phone"><input type=checkbox name=bare>
      <input type=submit value="Sign up"></form>`)
    assert.deepStrictEqual(consent, { topics: ["news", "offers"], field: "letter" })
    assert.strictEqual(text, "Our letter Yes, send it Offers Sign up")
    const texts = [
      ["letter", "Yes, send it"],
      ["other", "Offers"],
      ["third", "By phone"],
      ["bare", text],
    ]
    assert.deepStrictEqual([...checkboxes], texts)
    assert.isNull(form.consent)
  })

  it("is given by the box that is ticked, or by sending; settings of the API win", () => {
    const topic = { id: TopicId.make(id(8)), slug: "news", status: "active" } as const
    const old = { id: TopicId.make(id(9)), slug: "offers", status: "archived" } as const
    const said = formOf(
      `<form id=f data-topics="news offers nothing" data-consent-field=ok><input type=checkbox name=ok></form>`,
    )
    const inForce = consentOf(said, null, [topic, old])
    assert.deepStrictEqual(inForce, { topicIds: [topic.id], consentField: "ok", doubleOptIn: null, setBy: "page" })
    const agreed = (answers: Answers) => agreedText(said, { consentField: "ok" }, answers) !== null
    assert.deepStrictEqual([agreed({ ok: "on" }), agreed({ ok: "" }), agreed({ other: "on" })], [true, false, false])
    const set = { topicIds: [old.id], consentField: null, doubleOptIn: true }
    assert.deepStrictEqual(consentOf(said, set, [topic, old]), { ...set, topicIds: [], setBy: "api" })
    assert.strictEqual(agreedText(form, set, {}), form.text)
  })
})

describe("Submission input", () => {
  it("keeps declared fields only, and joins values of one name", { tags: ["attack/form-overwrite"] }, () => {
    assert.deepStrictEqual(read(["email", "a@b.ch"], ["unsubscribed", "false"], ["tags", "x"], ["tags", "y"]), {
      email: "a@b.ch",
      tags: "x, y",
    })
  })

  it("is spam when the trap is filled, and empty without values", () => {
    assert.isNull(read(["email", "a@b.ch"], [honeypot_name, "http://spam"]))
    assert.isNotNull(read(["email", "a@b.ch"], [honeypot_name, ""]))
    assert.strictEqual(refused(["email", " "], ["other", "x"]), "validation_failed")
    assert.strictEqual(refused(), "validation_failed")
  })

  it("has at most 100 fields of 10 KB, not counting the trap", () => {
    const many = (count: number): SentFields =>
      Array.from({ length: count }, (_, n) => [n === 0 ? "email" : `x${n}`, "a@b.ch"])
    assert.isNotNull(read(...many(100), [honeypot_name, ""]))
    assert.strictEqual(refused(...many(101)), "payload_too_large")
    assert.isNotNull(read(["message", "ä".repeat(field_bytes_max / 2)]))
    assert.strictEqual(refused(["message", "ä".repeat(field_bytes_max / 2 + 1)]), "payload_too_large")
    assert.strictEqual(refused(["undeclared", "x".repeat(field_bytes_max + 1)]), "payload_too_large")
  })

  it("has at most 10 KB of values of one name", { tags: ["attack/slow-input"] }, () => {
    const values = (count: number): SentFields =>
      Array.from({ length: count }, () => ["tags", "x".repeat(field_bytes_max / 10)])
    assert.isNotNull(read(...values(9)))
    assert.strictEqual(refused(...values(10)), "payload_too_large")
    assert.strictEqual(
      refused(...Array.from({ length: 99 }, () => ["message", `a${" ".repeat(10_200)}b`] as const)),
      "payload_too_large",
    )
  })

  it("is text that can be stored", () => {
    for (const text of ["\0", "a\ud800", "\udc00"]) assert.strictEqual(refused(["message", text]), "validation_failed")
    assert.strictEqual(refused(["\0", "x"], ["email", "a@b.ch"]), "validation_failed")
  })
})

const how = (over: Partial<ItemContext> = {}): ItemContext => ({
  values: "text",
  fields: fieldsByName([]),
  defaultCountry: "CH",
  allowNotEditable: true,
  ...over,
})
const visitor = (answers: Answers) => Result.getOrThrow(readVisitor(answers, how()))

describe("Contact of a visitor", () => {
  it("is matched by email or phone, and has the standard fields", () => {
    const read = visitor({
      email: " Ada@Example.com ",
      phone: "044 668 18 00",
      first_name: " Ada ",
      wish: "x",
      city: " ",
    })
    assert.deepStrictEqual(read, {
      email: { written: "Ada@Example.com", normalized: "ada@example.com" },
      phone: "+41446681800",
      firstName: "Ada",
    })
    assert.isNull(visitor({ first_name: "Ada" }))
  })

  it("has the words of a text or of check boxes as tags", () => {
    const answers = read(["email", "a@b.ch"], ["tags", "Wine; beer"], ["tags", "wine"]) ?? assert.fail()
    const fields = fieldsByName([field("tags", { valueType: "tags" })])
    const made = Result.getOrThrow(readVisitor(answers, how({ fields })))
    assert.deepStrictEqual([...(made?.customFields ?? [])], [["tags", ["Wine", "beer"]]])
  })

  it("requires a valid email or phone; other values stay in the submission", () => {
    const issues = (answers: Answers) =>
      Result.match(readVisitor(answers, how()), {
        onSuccess: () => [],
        onFailure: (invalid) => invalid.issues.map(({ path }) => path),
      })
    assert.deepStrictEqual(issues({ email: "ada@", phone: "+41446681800" }), ["email"])
    assert.deepStrictEqual(issues({ phone: "12" }), ["phone"])
    assert.deepStrictEqual(visitor({ email: "a@b.ch", phone: "12", zip_code: "1".repeat(51), service_score: "ten" }), {
      email: { written: "a@b.ch", normalized: "a@b.ch" },
    })
  })
})

const person = (over: Partial<Contact>): Contact => ({ ...blankContact(ContactId.make(id(2)), now), ...over })

const receive = (answers: Answers, existing: ReadonlyArray<Contact>) =>
  SubmissionChange.receive(
    { id: SubmissionId.make(id(3)), form, answers, visitor: visitor(answers) },
    { existing, ids: [ContactId.make(id(4))], now },
  )

describe("Submission", () => {
  it(
    "fills empty fields, overwrites nothing, and never reverts an opt-out",
    { tags: ["attack/form-overwrite"] },
    () => {
      const known = person({
        email: "a@b.ch",
        emailNormalized: "a@b.ch",
        firstName: "Ada",
        unsubscribed: true,
        marketingEmailSubscribed: false,
      })
      const { contacts, submission } = receive(
        {
          email: "A@b.ch",
          first_name: "Eve",
          last_name: "Lovelace",
          unsubscribed: "false",
          marketing_email_subscribed: "true",
        },
        [known],
      )
      assert.deepStrictEqual(
        contacts.updates.map(({ after }) => after),
        [{ ...known, lastName: "Lovelace" }],
      )
      assert.deepStrictEqual([contacts.resubscribed, submission.contactId], [[], known.id])
    },
  )

  it("belongs to the owner of the email when the phone belongs to another contact", () => {
    const [one, two] = [
      person({ email: "a@b.ch", emailNormalized: "a@b.ch" }),
      person({ id: ContactId.make(id(5)), phone: "+41446681800" }),
    ]
    const { contacts, submission } = receive({ email: "a@b.ch", phone: "+41446681800" }, [one, two])
    assert.deepStrictEqual([contacts.updates, submission.contactId], [[], one.id])
  })
})
