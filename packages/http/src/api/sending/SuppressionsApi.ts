// The endpoints of suppressions, and their schemas.
import { type Suppression, suppressionReasons } from "@tentpole/core/sending/Suppression"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, InstantWire, listing, oneOf, searchParameter, Text, toSnakeCase } from "../../Wire.ts"
import { Reason, Rows, RunWire } from "../imports/ImportWire.ts"

const csv_length_max = 5 * 2 ** 20

export const SuppressionWire = Schema.Struct({
  email: Schema.String.annotate({ examples: ["ada@example.com"] }),
  reason: oneOf(...suppressionReasons),
  created_at: InstantWire,
}).annotate({ identifier: "Suppression" })

export const Suppress = Schema.Struct({
  email: Text(1000, 1).annotate({ examples: ["ada@example.com"] }),
  reason: Schema.optionalKey(oneOf(...suppressionReasons)).annotate({ description: "Default: `manual`" }),
}).annotate({ identifier: "Suppress" })

export const toSuppressionWire = (suppression: Suppression): typeof SuppressionWire.Type => toSnakeCase(suppression)

const SuppressRows = Schema.Struct({ rows: Rows, reason: Schema.optionalKey(Reason) }).annotate({
  identifier: "SuppressRows",
  description: "The keys of the rows are the headers of the columns",
  examples: [{ rows: [{ email: "ada@example.com", reason: "bounce" }] }],
})

const SuppressCsv = Schema.Struct({
  csv: Text(csv_length_max, 1).annotate({
    description: "The text of a CSV file with a header line",
    examples: ["Email Address,UNSUB_TIME\nada@example.com,2026-05-01 09:30:00\n"],
  }),
  reason: Schema.optionalKey(Reason),
}).annotate({ identifier: "SuppressCsv" })

export const ImportSuppressions = Schema.Union([SuppressRows, SuppressCsv]).annotate({
  identifier: "ImportSuppressions",
  message: "must be an object with rows or csv",
})

/** The path of one suppression. */
export const addressed = { email: Text(1000, 1) }

export const SuppressionsApi = Endpoint.group("suppressions", "Addresses that get no messages.").add(
  Endpoint.get("list", "/v1/suppressions", {
    needs: "viewer",
    summary: "List suppressed addresses",
    description:
      "Returns the addresses that get no messages, with the reason of each, the newest first. `unsubscribe` allows operational email.",
    query: {
      ...cursorQuery,
      search: searchParameter,
      reason: Schema.optionalKey(
        oneOf(...suppressionReasons).annotate({ description: "Returns only addresses that are suppressed for this" }),
      ),
    },
    success: listing({ suppressions: Schema.Array(SuppressionWire) }).annotate({ identifier: "Suppressions" }),
    errors: ["invalid_cursor", "not_found"],
  }),
  Endpoint.post("add", "/v1/suppressions", {
    needs: "editor",
    summary: "Suppress an address",
    description:
      "Suppresses an address. A weaker reason does not replace a stronger one; from weakest to strongest: `unsubscribe`, `bounce`, `complaint`, `manual`. The response shows the reason that applies. A contact with this address does not change.",
    payload: Suppress,
    success: SuppressionWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "not_found"],
  }),
  Endpoint.delete("remove", "/v1/suppressions/:email", {
    needs: "sender",
    summary: "Remove a suppression",
    description: "Removes the suppression. The contact's own state (unsubscribed, invalid address) does not change.",
    params: addressed,
  }),
  Endpoint.post("import", "/v1/suppressions/import", {
    needs: "editor",
    summary: "Import suppressions",
    description:
      "Suppresses the addresses of up to 1,000 rows, or of a CSV text of up to 5 MB, such as Mailchimp's `unsubscribed` and `cleaned` exports and the exports of listmonk and HubSpot as they are. The columns are recognised by their names; `reason` is for rows whose columns say none. Returns an import run: poll `GET /v1/contacts/imports/{import_run_id}` for the counts, and read the result of each row from its `results`. A row is `created` if its address was not suppressed, `updated` if the reason is stronger or the contact changed, and `skipped` otherwise. Contacts with these addresses become `unsubscribed` (`unsubscribe`, `complaint`) or `marketing_email_invalid` (`bounce`). For larger files, execute an import session with `as` set to `suppressions`.",
    payload: ImportSuppressions,
    success: RunWire.pipe(HttpApiSchema.status(202)),
    errors: ["validation_failed", "import_unreadable", "payload_too_large", "unavailable"],
  }),
)
