// Valid bodies of all operations on tents, and the fixtures of the attacks.
import { GenerationId, TentId } from "@tentpole/core/kernel/Ids"
import { TentVersions } from "@tentpole/core/tents/TentVersions"
import { Tents } from "@tentpole/core/tents/Tents"
import { Context, Effect } from "effect"
import { posting } from "./AttackFixture.ts"
import type { Estate, Probe, Room } from "./AttackSuite.ts"
import { type Attack, type Operation, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import { multipart } from "../fixtures/Multipart.ts"
import type { Call, Json, Sent } from "../fixtures/World.ts"

export interface TentEstate extends Estate {
  /** Generated and published, with a file. */
  readonly tentId: string
  readonly asset_id: string
  /** Idle, with a file. */
  readonly idleTentId: string
  readonly idleAssetId: string
  /** Approved. */
  readonly templateId: string
  readonly bulkJobId: string
  /** A revision in progress, except for attacks on revisions. */
  readonly generationId: string
  /** The number of a version. */
  readonly n: string
}

const prompt = "Create a landing page for chairs"

const file = multipart([{ bytes: "a brief", fileName: "brief.txt" }])

const isUpload = ({ method, path }: Operation): boolean => method === "POST" && path.endsWith("/assets")

/** Valid bodies of operations that take no JSON. */
const sentTo = (operation: Operation): Sent => (isUpload(operation) ? file : {})

const idle = (call: Call) => Effect.map(call("POST", "/v1/tents/new/assets", file), ({ json }): Json => json)

const settleTents: Room<TentEstate>["settle"] = Effect.fnUntraced(function* (
  { call, workspace },
  field,
  context,
  operation,
) {
  const post = posting(call)
  const [used, waiting] = [yield* idle(call), yield* idle(call)]
  const tentId: string = used.actual_tent_id
  yield* post("/v1/tents", { name: `of ${field}`, prompt, tent_id: tentId, asset_ids: [used.asset_id] })
  yield* Context.get(context, Tents).runGeneration(workspace, TentId.make(tentId))
  yield* post(`/v1/tents/${tentId}/publish`, { custom_page_alias: "page" })
  const { template_id } = yield* post("/v1/tent-templates", { name: `of ${field}`, html: "<p>one</p>" })
  yield* post(`/v1/tent-templates/${template_id}/approve`)
  const revision = yield* post(`/v1/tents/${tentId}/revise`, { instruction: `blue ${field}` })
  if (operation?.path.endsWith("/revise") === true) {
    const { runGeneration } = Context.get(context, TentVersions)
    yield* runGeneration(workspace, TentId.make(tentId), GenerationId.make(revision.generation_id))
  }
  const bulk = yield* post("/v1/tents/bulk", {
    template_id,
    items: [{ instructions: "blue", tent_name: `of ${field}` }],
  })
  const estate: TentEstate = {
    tentId,
    asset_id: used.asset_id,
    idleTentId: waiting.actual_tent_id,
    idleAssetId: waiting.asset_id,
    templateId: template_id,
    bulkJobId: bulk.bulk_job_id,
    generationId: revision.generation_id,
    n: "1",
    field,
  }
  return estate
})

const readable = (estate: TentEstate) => [
  "/v1/tents?limit=100",
  `/v1/tents/${estate.tentId}`,
  `/v1/tents/${estate.tentId}/content`,
  `/v1/tents/${estate.tentId}/versions`,
  `/v1/tents/${estate.tentId}/generations/${estate.generationId}`,
  `/v1/tents/${estate.tentId}/assets`,
  `/v1/tents/${estate.tentId}/assets/${estate.asset_id}/content`,
  `/v1/tents/${estate.idleTentId}`,
  `/v1/tents/${estate.idleTentId}/assets`,
  `/v1/bulk-jobs/${estate.bulkJobId}`,
]

/** Bodies by operation, created at each call, where the example of the document has less. */
const tentProbes: Readonly<Record<string, Probe<TentEstate>>> = {
  "POST /v1/tents": [
    ({ templateId }) => ({
      name: "n",
      prompt,
      user_id: "u 7",
      include_brand: true,
      template_id: templateId,
      auto_publish: true,
      custom_page_alias: "sale",
    }),
    ({ idleTentId, idleAssetId }) => ({ name: "n", prompt, tent_id: idleTentId, asset_ids: [idleAssetId] }),
    () => ({ name: "n", html: "<h1>One</h1>", auto_publish: true, custom_page_alias: "upload" }),
  ],
  "POST /v1/tents/{tentId}/publish": [() => ({ custom_page_alias: "page-2", remove_branding: true })],
  "PATCH /v1/tents/{tentId}": [() => ({ name: "renamed" })],
  "PUT /v1/tents/{tentId}/content": [() => ({ html: "<h1>Two</h1>" })],
  "POST /v1/tents/{tentId}/revise": [() => ({ instruction: "Make it blue" })],
  "POST /v1/tents/bulk": [
    ({ templateId }) => ({
      template_id: templateId,
      items: [
        {
          input_data: { city: "Ulm", floors: [1, 2] },
          instructions: "Use blue",
          client_item_id: "one",
          tent_name: "Ulm",
          custom_page_alias: "ulm",
          include_brand: true,
        },
      ],
      client_job_descriptor: "cities",
      default_tent_name_prefix: "City",
      start_index: 3,
      auto_publish: true,
      reasoning: "high",
      metadata: { run: 7 },
    }),
  ],
}

/** Objects with free keys and values. */
const isFree = ({ wrong }: Attack): boolean => /^(items\.\d+\.input_data|metadata)(\.|$)/.test(wrong ?? "")

const reached = new Set([
  "GET /v1/tents",
  "POST /v1/tents",
  "PATCH /v1/tents/{tentId}",
  "DELETE /v1/tents/{tentId}",
  "POST /v1/tents/{tentId}/publish",
  "POST /v1/tents/{tentId}/assets",
  "POST /v1/tents/bulk",
])

/** Forms and their submissions are in `FormProbes.ts`. */
export const tents: Room<TentEstate> = {
  name: "tents",
  operations: operationsOf(tenants, ["/v1/tents", "/v1/bulk-jobs"]).filter(
    ({ path }) => !/\/(?:submissions|forms(?:\/.*)?)$/.test(path),
  ),
  probes: tentProbes,
  settle: settleTents,
  stateFor: ({ path }) => (path.endsWith("/revise") ? "generated" : null),
  readable,
  ids: ["tentId", "idleTentId", "idleAssetId", "templateId"],
  found: (json) => json.tents.length,
  sent: sentTo,
  adapted: (attack) => (isFree(attack) ? { ...attack, expected: "either" } : attack),
  reaches: ({ method, path }) => reached.has(`${method} ${path}`),
}
