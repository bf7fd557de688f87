// Valid bodies of all operations on templates, and the fixtures of the attacks.
import { EmailTemplateId, GenerationId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { Tents } from "@tentpole/core/tents/Tents"
import { Context, Effect } from "effect"
import { posting } from "./AttackFixture.ts"
import type { Estate, Probe, Room } from "./AttackSuite.ts"
import { operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"

const emailRoot = "/v1/email-templates"
const tentRoot = "/v1/tent-templates"

/** The entities of a workspace under one root: an approved template at version 2, written by the AI. */
export interface TemplateEstate extends Estate {
  readonly templateId: string
  readonly generationId: string
  /** The source from which a template can be created. */
  readonly emailId: string
  readonly tentId: string
}

const settleTemplates = (root: string): Room<TemplateEstate>["settle"] =>
  Effect.fnUntraced(function* ({ call, workspace }, field, workers) {
    const post = posting(call)
    const email = yield* post("/v1/emails", { name: `of ${field}`, subject: "S", html: "<p>e</p>" })
    const tent = yield* post("/v1/tents", { name: "t", prompt: "Create a landing page for chairs" })
    yield* Context.get(workers, Tents).runGeneration(workspace, TentId.make(tent.id))
    const { template_id } = yield* post(root, { name: `of ${field}`, html: "<p>one</p>" })
    const { generation_id } = yield* post(`${root}/${template_id}/generations`, { prompt: "A page for chairs" })
    const generation = GenerationId.make(generation_id)
    yield* root === emailRoot
      ? Context.get(workers, EmailTemplates).runGeneration(workspace, EmailTemplateId.make(template_id), generation)
      : Context.get(workers, TentTemplates).runGeneration(workspace, TentTemplateId.make(template_id), generation)
    yield* post(`${root}/${template_id}/approve`)
    const estate: TemplateEstate = {
      templateId: template_id,
      generationId: generation_id,
      emailId: email.email_id,
      tentId: tent.id,
      field,
    }
    return estate
  })

const readable =
  (root: string) =>
  ({ generationId, templateId }: TemplateEstate) => [
    `${root}?limit=100`,
    `${root}/${templateId}`,
    `${root}/${templateId}/content`,
    `${root}/${templateId}/content?version=1`,
    `${root}/${templateId}/versions`,
    `${root}/${templateId}/generations`,
    `${root}/${templateId}/generations/${generationId}`,
    `${root}/${templateId}/plain-text`,
  ]

const defaults = {
  default_subject: "S",
  default_preview_text: "P",
  default_from_name: "F",
  default_from_address: "f@example.test",
  default_reply_to_email: "r@example.test",
}

/**
 * All operations with the memory adapter; with PostgreSQL those that have a statement of their own or ids. `created` and `updated`:
 * bodies, where the example of the document has less.
 */
const templatesUnder = (
  name: string,
  root: string,
  created: Probe<TemplateEstate>,
  updated: Probe<TemplateEstate>,
): Room<TemplateEstate> => ({
  name,
  operations: operationsOf(tenants, [root]),
  probes: {
    [`POST ${root}`]: created,
    [`PATCH ${root}/{templateId}`]: updated,
    [`POST ${root}/{templateId}/approve`]: [() => ({ version: 2 })],
  },
  settle: settleTemplates(root),
  readable: readable(root),
  ids: ["emailId", "tentId"],
  found: (json) => json.templates.length,
  reaches: ({ method, path }) => path === root || method === "PATCH",
})

export const emailTemplates = templatesUnder(
  "email templates",
  emailRoot,
  [
    () => ({ name: "n", html: "<p>x</p>", ...defaults }),
    ({ emailId }) => ({ name: "n", email_id: emailId }),
    () => ({ name: "n", prompt: "A greeting" }),
  ],
  [() => ({ name: "n", ...defaults })],
)
export const tentTemplates = templatesUnder(
  "tent templates",
  tentRoot,
  [
    () => ({ name: "n", html: "<p>x</p>" }),
    ({ tentId }) => ({ name: "n", tent_id: tentId }),
    () => ({ name: "n", prompt: "A page for chairs" }),
  ],
  [() => ({ name: "n" })],
)
