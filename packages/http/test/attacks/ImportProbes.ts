// Valid bodies of all operations on imports and suppressions, and the fixtures of the attacks.
import { ImportRunId } from "@tentpole/core/kernel/Ids"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { Context, Effect } from "effect"
import { fresh, posting } from "./AttackFixture.ts"
import type { Estate, Probe, Room } from "./AttackSuite.ts"
import { type Attack, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import type { Call, Json } from "../fixtures/World.ts"

export interface ImportEstate extends Estate {
  /** A session before its execution. */
  readonly session_id: string
  /** A completed run with one imported and one rejected row. */
  readonly import_run_id: string
  readonly listId: string
  readonly fieldDefinitionId: string
  readonly topicId: string
  /** A suppressed address. */
  readonly email: string
}

const imports = "/v1/contacts/imports"
const suppressions = "/v1/suppressions"

const rows = (field: string): Json => [
  { Email: `${field}@example.com`, Shoe: 42 },
  { Email: `unknown of ${field}`, Shoe: null },
]

export const newSession = (call: Call, field: string) =>
  Effect.map(
    call("POST", imports, { json: { source: "rows", rows: rows(field) } }),
    ({ json }): string => json.import_session_id,
  )

/** `field` is the `api_name` of its custom field too. */
const settleImports: Room<ImportEstate>["settle"] = Effect.fnUntraced(function* ({ call, workspace }, field, context) {
  const made = posting(call)
  const fields = yield* made("/v1/contact-fields", { display_name: field, api_name: field, value_type: "string" })
  const list = yield* made("/v1/contact-lists", { name: `of ${field}`, kind: "static" })
  const topic = yield* made("/v1/topics", { name: `of ${field}`, default_subscription: "unsubscribed" })
  const executed = yield* made(`${imports}/${yield* newSession(call, field)}/execute`, {
    mappings: [{ header: "Email", target_field: "email" }],
    list_ids: [list.list_id],
  })
  yield* Context.get(context, ImportRuns).run(workspace, ImportRunId.make(executed.import_run_id))
  const email = `suppressed.${field}@example.com`
  yield* made(suppressions, { email })
  const estate: ImportEstate = {
    email,
    session_id: yield* newSession(call, field),
    import_run_id: executed.import_run_id,
    listId: list.list_id,
    topicId: topic.topic_id,
    fieldDefinitionId: fields.items[0].field_definition_id,
    field,
  }
  return estate
}, Effect.orDie)

const readable = ({ import_run_id, listId }: ImportEstate) => [
  "/v1/contacts?limit=100",
  "/v1/contact-lists?limit=100",
  `/v1/contact-lists/${listId}/contacts?limit=100`,
  `${imports}/${import_run_id}`,
  `${imports}/${import_run_id}/results`,
  `${imports}/${import_run_id}/export`,
  `${suppressions}?limit=100`,
]

export const execution = ({ field, listId, fieldDefinitionId, topicId }: ImportEstate): Json => ({
  mappings: [
    { header: "Email", target_field: "email", target_kind: "standard", overwrite_behavior: "overwrite" },
    { header: "Shoe", target_field: field, target_kind: "custom", overwrite_behavior: "skip_if_filled" },
  ],
  as: "contacts",
  duplicate_strategy: "skip",
  overwrite_blank_only: true,
  list_ids: [listId],
  created_field_definition_ids: [fieldDefinitionId],
  consent: {
    topic_ids: [topicId],
    source: "shop",
    text: "Yes, send me the letter.",
    collected_at: "2026-05-01T10:00:00Z",
    double_opt_in: false,
  },
})

/** Bodies by operation, created at each call, where the example of the document has less. */
const importProbes: Readonly<Record<string, Probe<ImportEstate>>> = {
  "POST /v1/contacts/imports": [
    () => ({ source: "upload", file_name: "people.csv", content_type: "text/csv" }),
    () => ({ source: "rows", rows: [{ Email: "a@b.co", Score: 5, VIP: true, Note: null }], file_name: "people" }),
  ],
  "POST /v1/contacts/imports/{session_id}/execute": [execution],
  "POST /v1/suppressions": [() => ({ email: `${fresh()}@example.com`, reason: "complaint" })],
  "POST /v1/suppressions/import": [
    () => ({ rows: [{ Email: "a@b.co", Reason: "cleaned", Score: 5, VIP: true, Note: null }], reason: "unsubscribe" }),
    () => ({ csv: "Email,UNSUB_TIME\na@b.co,2026-05-01\n", reason: "bounce" }),
  ],
}

/** The keys of a row are column names: any key is valid. */
const isColumn = ({ what, wrong }: Attack): boolean =>
  /^rows\.\d+\.[^.]*$/.test(wrong ?? "") && what.includes(" has ") && !what.includes("twice")

/** A body without its source matches no variant and is refused as a whole. */
const adapted = (attack: Attack): Attack => {
  if (isColumn(attack)) return { ...attack, expected: "either" }
  return attack.wrong === "source" ? { ...attack, wrong: "" } : attack
}

export const imported: Room<ImportEstate> = {
  name: "imports",
  operations: operationsOf(tenants, ["/v1/contacts/imports", suppressions]),
  probes: importProbes,
  settle: settleImports,
  readable,
  ids: ["fieldDefinitionId", "listId", "topicId", "field"],
  found: (json) => json.suppressions.length,
  adapted,
  renewed: ({ call }, estate) => Effect.map(newSession(call, "ours"), (session_id) => ({ ...estate, session_id })),
}
