// The columns of other tools' exports and the standard fields that they match. The files are in `test/fixtures/import-headers`;
// its README names the sources of their headers.
import { matchesFor } from "@tentpole/adapters/ai/fake/FakeColumns"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import { ImportSessionId } from "@tentpole/core/kernel/Ids"
import { CsvReader } from "@tentpole/core/imports/CsvReader"
import { inSteps } from "@tentpole/core/kernel/runtime/Steps"
import { type ImportPreview, previewOf, analyzeHeaders } from "@tentpole/core/imports/Preview"
import { acceptedMatches, noSuggestions } from "@tentpole/core/imports/mapping/Suggestions"
import { columnNames, rowsOf } from "@tentpole/core/imports/Table"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../../../test/fixtures/import-headers/", import.meta.url))
const id = ImportSessionId.make("00000000-0000-4000-8000-000000000001")

/** By file: the matched fields by column. All other columns are unmapped. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "hubspot-view.csv": {
    "First Name": "first_name",
    "Last Name": "last_name",
    Email: "email",
    "Phone Number": "phone",
    "Lead Status": "lead_status",
    "Associated Company": "company",
  },
  "hubspot-all-properties.csv": {
    "First Name": "first_name",
    "Last Name": "last_name",
    Email: "email",
    "Job Title": "job_title",
    "Company Name": "company",
    "Phone Number": "phone",
    "Street Address": "address",
    City: "city",
    "State/Region": "state",
    "Postal Code": "zip_code",
    "Country/Region": "country",
    "Lead Status": "lead_status",
    "Lifecycle Stage": "lifecycle_stage",
    "HubSpot Score": "service_score",
    "Original Source": "original_source",
    "Original Source Drill-Down 1": "original_source_detail",
    "Unsubscribed from all email": "unsubscribed",
  },
  "mailchimp-subscribed.csv": {
    "Email Address": "email",
    "First Name": "first_name",
    "Last Name": "last_name",
    Address: "address",
    "Phone Number": "phone",
    Company: "company",
  },
  "mailchimp-unsubscribed.csv": {
    "Email Address": "email",
    "First Name": "first_name",
    "Last Name": "last_name",
    Address: "address",
    "Phone Number": "phone",
  },
  "salesforce-report.csv": {
    "First Name": "first_name",
    "Last Name": "last_name",
    Title: "job_title",
    "Account Name": "company",
    "Mailing Street": "address",
    "Mailing City": "city",
    "Mailing State/Province": "state",
    "Mailing Zip/Postal Code": "zip_code",
    "Mailing Country": "country",
    Phone: "phone",
    Email: "email",
    "Lead Source": "original_source",
    "Email Opt Out": "unsubscribed",
  },
  "salesforce-data-export.csv": {
    LastName: "last_name",
    FirstName: "first_name",
    MailingStreet: "address",
    MailingCity: "city",
    MailingState: "state",
    MailingPostalCode: "zip_code",
    MailingCountry: "country",
    Phone: "phone",
    Email: "email",
    Title: "job_title",
    LeadSource: "original_source",
    HasOptedOutOfEmail: "unsubscribed",
  },
  "klaviyo-list.csv": {
    Email: "email",
    "First Name": "first_name",
    "Last Name": "last_name",
    Organization: "company",
    Title: "job_title",
    "Phone Number": "phone",
    Address: "address",
    "Address 2": "address2",
    City: "city",
    "State / Region": "state",
    Country: "country",
    "Zip Code": "zip_code",
    Source: "original_source",
    "Accepts Marketing": "marketing_email_subscribed",
  },
  "klaviyo-properties.csv": {
    $email: "email",
    $first_name: "first_name",
    $last_name: "last_name",
    $organization: "company",
    $title: "job_title",
    $phone_number: "phone",
    $address1: "address",
    $address2: "address2",
    $city: "city",
    $region: "state",
    $zip: "zip_code",
    $country: "country",
    $source: "original_source",
  },
  "google-contacts.csv": {
    "First Name": "first_name",
    "Last Name": "last_name",
    "Organization Name": "company",
    "Organization Title": "job_title",
    "E-mail 1 - Value": "email",
    "Phone 1 - Value": "phone",
    "Address 1 - Street": "address",
    "Address 1 - City": "city",
    "Address 1 - Region": "state",
    "Address 1 - Postal Code": "zip_code",
    "Address 1 - Country": "country",
    "Address 1 - Extended Address": "address2",
  },
  "google-contacts-before-2024.csv": {
    Name: "display_name",
    "Given Name": "first_name",
    "Family Name": "last_name",
    "E-mail 1 - Value": "email",
    "Phone 1 - Value": "phone",
    "Address 1 - Street": "address",
    "Address 1 - City": "city",
    "Address 1 - Region": "state",
    "Address 1 - Postal Code": "zip_code",
    "Address 1 - Country": "country",
    "Address 1 - Extended Address": "address2",
    "Organization 1 - Name": "company",
    "Organization 1 - Title": "job_title",
  },
}

const previewed = Effect.fnUntraced(function* (name: string) {
  const { read } = yield* CsvReader
  const records = yield* read(Stream.succeed(readFileSync(`${folder}${name}`))).pipe(Stream.runCollect)
  const header = records[0]?.cells ?? []
  const headers = yield* Effect.fromResult(columnNames(header))
  const rows = yield* rowsOf(Stream.fromIterable(records)).pipe(Stream.runCollect)
  const [file, facts] = [
    { headers, rows, formulaGuarded: true },
    { fields: [], defaultCountry: "US" },
  ]
  const reading = yield* inSteps(analyzeHeaders(file, facts))
  const { request } = reading.suggestionRequest
  const matches = request === null ? [] : acceptedMatches(request, matchesFor(request), reading.targets)
  return {
    headers: header,
    byHeaders: yield* inSteps(previewOf(id, file, facts, reading, noSuggestions)),
    withAi: yield* inSteps(previewOf(id, file, facts, reading, { _tag: "given", matches })),
  }
})

const mapped = (preview: ImportPreview) =>
  Object.fromEntries(
    preview.proposedMappings.flatMap(({ header, targetField }) =>
      targetField === null ? [] : [[header, targetField]],
    ),
  )

it("every fixture has its expectation", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".csv"))
  assert.deepStrictEqual(files.sort(), Object.keys(expected).sort())
})

for (const [name, fields] of Object.entries(expected)) {
  it.effect(`${name}: each column is matched to its field`, () =>
    Effect.gen(function* () {
      const { headers, byHeaders } = yield* previewed(name)
      assert.deepStrictEqual(byHeaders.headers, headers)
      assert.deepStrictEqual(mapped(byHeaders), fields)
      assert.deepStrictEqual(byHeaders.blockingIssues, [])
      assert.deepStrictEqual(byHeaders.sampleIssues, [])
    }).pipe(Effect.provide(Csv.layer)),
  )
}

it.effect("the fake AI adds correct matches only", () =>
  Effect.gen(function* () {
    for (const [name, fields] of Object.entries(expected)) {
      const { withAi } = yield* previewed(name)
      const added = Object.entries(mapped(withAi)).filter(([header]) => !(header in fields))
      assert.deepStrictEqual(added, name === "google-contacts.csv" ? [["Nickname", "display_name"]] : [], name)
      assert.deepStrictEqual(withAi.sampleIssues, [])
    }
  }).pipe(Effect.provide(Csv.layer)),
)
