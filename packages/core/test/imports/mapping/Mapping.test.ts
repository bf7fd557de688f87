import { standardFieldByName } from "@tentpole/core/contacts/ContactFields"
import { headerKey, headerSynonyms } from "@tentpole/core/imports/mapping/HeaderSynonyms"
import { reasonText } from "@tentpole/core/imports/mapping/Reasons"
import { checkMappings, proposeMappings, targetsOf, type WantedMapping } from "@tentpole/core/imports/mapping/Mapping"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { field } from "../FieldFixture.ts"

const fields = [
  field("shoe_size", { displayName: "Size of shoes" }),
  field("old_plan", { status: "archived", displayName: "Old plan" }),
  field("constructor"),
]

const proposed = (...headers: ReadonlyArray<string>) =>
  proposeMappings(headers, targetsOf(fields)).map(({ targetField }) => targetField)

describe("Proposed mappings", () => {
  it("match a header by its parts if all of them name one field", () => {
    assert.deepStrictEqual(proposed("Company / Account", "Email | E-mail Address", "First or given name"), [
      "company",
      "email",
      "first_name",
    ])
    assert.deepStrictEqual(proposed("Email / Phone", "Phone / Fax", "Mobile or Cell"), [null, null, "phone"])
  })

  it("recognise the headers of common tools' exports", () => {
    const exports: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
      HubSpot: {
        "Record ID": null,
        "First Name": "first_name",
        "Last Name": "last_name",
        Email: "email",
        "Phone Number": "phone",
        "Company Name": "company",
        "Job Title": "job_title",
        "Street Address": "address",
        City: "city",
        "State/Region": "state",
        "Postal Code": "zip_code",
        "Country/Region": "country",
        "Lead Status": "lead_status",
        "Lifecycle Stage": "lifecycle_stage",
        "HubSpot Score": "service_score",
        "Original Source": "original_source",
        "Unsubscribed from all email": "unsubscribed",
      },
      Mailchimp: {
        "Email Address": "email",
        FNAME: "first_name",
        LNAME: "last_name",
        ADDRESS: "address",
        PHONE: "phone",
        MEMBER_RATING: null,
      },
      Salesforce: {
        FirstName: "first_name",
        LastName: "last_name",
        "Account Name": "company",
        Title: "job_title",
        MobilePhone: "phone",
        MailingStreet: "address",
        MailingCity: "city",
        MailingState: "state",
        MailingPostalCode: "zip_code",
        MailingCountry: "country",
        LeadSource: "original_source",
        HasOptedOutOfEmail: "unsubscribed",
      },
      Klaviyo: {
        $email: "email",
        $first_name: "first_name",
        $last_name: "last_name",
        $phone_number: "phone",
        $organization: "company",
        $title: "job_title",
        $city: "city",
        $region: "state",
        $zip: "zip_code",
        $country: "country",
      },
    }
    for (const [tool, headers] of Object.entries(exports)) {
      assert.deepStrictEqual(proposed(...Object.keys(headers)), Object.values(headers), tool)
    }
  })

  it("recognise every writable field by its name and label, in any case and punctuation", () => {
    for (const { apiName, displayName, writable } of standardFieldByName.values()) {
      const wanted = writable ? [apiName, apiName, apiName] : [null, null, null]
      assert.deepStrictEqual(
        [...proposed(apiName), ...proposed(displayName), ...proposed(` ${apiName.toUpperCase()} *`)],
        wanted,
      )
    }
    assert.deepStrictEqual(proposed("É-mail", "shoe size", "Old plan", "Constructor"), [
      "email",
      "shoe_size",
      null,
      "constructor",
    ])
    assert.deepStrictEqual(proposed("SIZE OF SHOES"), ["shoe_size"])
  })

  it("never map two columns to one field: the earlier column gets it, and the other reports it", () => {
    const [first, second, third] = proposeMappings(["E-mail", "Phone", "Email"], targetsOf(fields))
    assert.deepStrictEqual([first?.targetField, second?.targetField, third?.targetField], ["email", "phone", null])
    assert.strictEqual(third?.source, "none")
    assert.match(reasonText(third?.reasons ?? []), /"E-mail"/)
  })

  it("ignore the columns that an export of rejected rows added", () => {
    const own = [field("status"), field("reason"), field("row_number")]
    const proposals = (...headers: ReadonlyArray<string>) => proposeMappings(headers, targetsOf(own))
    const exported = proposals("email", "status", "row_number", "status (2)", "reason")
    assert.deepStrictEqual(
      exported.map(({ targetField, standing }) => [targetField, standing]),
      [
        ["email", "mapped"],
        ["status", "mapped"],
        [null, "exported"],
        [null, "exported"],
        [null, "exported"],
      ],
    )
    assert.match(reasonText(exported[4]?.reasons ?? []), /export of an earlier import/)
    for (const headers of [
      ["email", "row_number", "reason", "status"],
      ["row_number", "status", "reason", "email"],
      ["row_number", "status", "reason"],
    ]) {
      const mapped = proposals(...headers).map(({ targetField }) => targetField)
      assert.deepStrictEqual(mapped, headers, "only as the last three beside others, in their order")
    }
  })

  it("map a tool's internal columns to a field only by the field's exact name", () => {
    assert.deepStrictEqual(proposed("Email Address", "REGION", "LEID", "EUID"), ["email", null, null, null])
    assert.deepStrictEqual(proposed("Email Address", "REGION", "LEID"), ["email", "state", null])
    const own = proposeMappings(["REGION", "LEID", "EUID"], targetsOf([field("region")]))
    assert.strictEqual(own[0]?.targetField, "region")
    assert.match(reasonText(own[1]?.reasons ?? []), /Mailchimp/)
  })

  it("have synonyms for standard fields only, each for one field", () => {
    const seen = new Map<string, string>()
    for (const [apiName, synonyms] of Object.entries(headerSynonyms)) {
      assert.isTrue(standardFieldByName.get(apiName)?.writable, apiName)
      for (const synonym of synonyms) {
        assert.isTrue([undefined, apiName].includes(seen.get(headerKey(synonym))), synonym)
        seen.set(headerKey(synonym), apiName)
      }
    }
  })

  it.prop(
    "propose no field twice",
    [Schema.Array(Schema.Literals(["Email", "E-mail", "Phone", "SMS", "Name", "x", ""]))],
    ([headers]) => {
      const targets = proposed(...headers).filter((target) => target !== null)
      assert.strictEqual(new Set(targets).size, targets.length)
    },
  )
})

const wanted = (header: string, targetField: string | null, more: Partial<WantedMapping> = {}): WantedMapping => ({
  header,
  targetField,
  targetKind: null,
  overwriteBehavior: "overwrite",
  ...more,
})

const headers = ["Email", "Name", "Size"]
const issuesOf = (...mappings: ReadonlyArray<WantedMapping>) =>
  Result.match(checkMappings(mappings, headers, fields), {
    onSuccess: () => [],
    onFailure: ({ issues }) => issues.map(({ path }) => path),
  })

describe("Chosen mappings", () => {
  it("are stored without ignored columns, with their kinds filled in", () => {
    const checked = checkMappings(
      [
        wanted("Email", "email"),
        wanted("Name", null),
        wanted("Size", "shoe_size", { overwriteBehavior: "skip_if_filled" }),
      ],
      headers,
      fields,
    )
    assert.deepStrictEqual(Result.getOrThrow(checked), [
      { header: "Email", targetField: "email", targetKind: "standard", overwriteBehavior: "overwrite" },
      { header: "Size", targetField: "shoe_size", targetKind: "custom", overwriteBehavior: "skip_if_filled" },
    ])
  })

  it("are refused with every fault at once, each at its place", () => {
    assert.deepStrictEqual(issuesOf(wanted("Email", "email"), wanted("Name", "email")), ["mappings.1.target_field"])
    assert.deepStrictEqual(issuesOf(wanted("Email", "email"), wanted("Nope", "phone"), wanted("Size", "nope")), [
      "mappings.1.header",
      "mappings.2.target_field",
    ])
    for (const target of ["created_at", "marketing_email_invalid", "contact_id", "old_plan", "toString"]) {
      assert.deepStrictEqual(issuesOf(wanted("Email", "email"), wanted("Size", target)), ["mappings.1.target_field"])
    }
    assert.deepStrictEqual(issuesOf(wanted("Email", "email"), wanted("Email", "phone")), ["mappings.1.header"])
    assert.deepStrictEqual(issuesOf(wanted("Email", "email", { targetKind: "custom" })), ["mappings.0.target_kind"])
    assert.deepStrictEqual(issuesOf(wanted("Name", "display_name")), ["mappings"])
    assert.deepStrictEqual(issuesOf(), ["mappings"])
  })

  it("may give a value to every row, which must be one of the field's type", () => {
    const value = (targetField: string, text: string | undefined, more: Partial<WantedMapping> = {}) => ({
      ...wanted("", targetField, more),
      header: null,
      ...(text === undefined ? {} : { value: text }),
    })
    const checked = checkMappings(
      [wanted("Email", "email"), value("company", "Acme"), value("unsubscribed", "yes")],
      headers,
      fields,
    )
    assert.deepStrictEqual(Result.getOrThrow(checked).slice(1), [
      { header: null, targetField: "company", targetKind: "standard", overwriteBehavior: "overwrite", value: "Acme" },
      {
        header: null,
        targetField: "unsubscribed",
        targetKind: "standard",
        overwriteBehavior: "overwrite",
        value: "yes",
      },
    ])
    const refused = (...mappings: ReadonlyArray<WantedMapping>) => issuesOf(wanted("Email", "email"), ...mappings)
    assert.deepStrictEqual(refused(value("unsubscribed", "perhaps")), ["mappings.1.value"])
    assert.deepStrictEqual(refused(value("company", "")), ["mappings.1.value"])
    assert.deepStrictEqual(refused(value("phone", "+41446681800")), ["mappings.1.value"])
    assert.deepStrictEqual(refused(value("company", undefined)), ["mappings.1.header"])
    assert.deepStrictEqual(refused(wanted("Name", "company", { value: "Acme" })), ["mappings.1.value"])
    assert.deepStrictEqual(refused(wanted("Name", "company"), value("company", "Acme")), ["mappings.2.target_field"])
  })

  it("have formats for fields of their type only", () => {
    const refused = (targetField: string, format: WantedMapping["format"] & object) =>
      issuesOf(wanted("Email", "email"), wanted("Size", targetField, { format }))
    assert.deepStrictEqual(refused("service_score", { decimalSeparator: ",", currencySign: "€" }), [])
    assert.deepStrictEqual(refused("service_score", { dateFormat: "DD.MM.YYYY" }), ["mappings.1.date_format"])
    assert.deepStrictEqual(refused("company", { decimalSeparator: "," }), ["mappings.1.decimal_separator"])
    assert.deepStrictEqual(refused("service_score", { currencySign: "5" }), ["mappings.1.currency_sign"])
  })
})
