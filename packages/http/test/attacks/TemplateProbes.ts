// Valid bodies of all operations on templates, and the fixtures of the attacks.
import { EmailTemplateId, GenerationId, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { Tents } from "@tentpole/core/tents/Tents"
import { Context, Effect } from "effect"
import type { Estate, Probe, Room } from "./AttackSuite.ts"
import { operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import type { Call, Json } from "../fixtures/World.ts"

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
    const post = (path: string, json: Json = {}) =>
      Effect.map(call("POST", path, { json }), (answered) => answered.json)
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

/** Everything that the workspace can read of its templates, as one text. */
const templatesIn = (root: string) =>
  Effect.fnUntraced(function* (call: Call, { templateId, generationId }: TemplateEstate) {
    const at = `${root}/${templateId}`
    const paths = [
      `${root}?limit=100`,
      at,
      `${at}/content`,
      `${at}/content?version=1`,
      `${at}/generations/${generationId}`,
    ]
    const texts = yield* Effect.forEach([...paths, `${at}/plain-text`], (path) => call("GET", path))
    // A 404 for missing plain text contains the request id.
    return texts.map(({ status, text }) => (status === 200 ? text : String(status))).join("\n")
  })

const none: Probe<TemplateEstate> = []
const nothing: Probe<TemplateEstate> = [() => ({})]

const shared = (root: string): Readonly<Record<string, Probe<TemplateEstate>>> => ({
  [`GET ${root}`]: none,
  [`GET ${root}/{templateId}`]: none,
  [`DELETE ${root}/{templateId}`]: none,
  [`POST ${root}/{templateId}/duplicate`]: nothing,
  [`GET ${root}/{templateId}/content`]: none,
  [`PUT ${root}/{templateId}/content`]: [() => ({ html: "<p>more {{contact.first_name}}</p>" })],
  [`POST ${root}/{templateId}/generations`]: [() => ({ prompt: "Make it bolder" })],
  [`GET ${root}/{templateId}/generations/{generationId}`]: none,
  [`POST ${root}/{templateId}/approve`]: [() => ({ version: 2 })],
  [`POST ${root}/{templateId}/unapprove`]: nothing,
})

const defaults = {
  default_subject: "S",
  default_preview_text: "P",
  default_from_name: "F",
  default_from_address: "f@example.test",
  default_reply_to_email: "r@example.test",
}

/** Valid bodies by operation, created at each call; none for operations without a body. */
const templateProbes: Readonly<Record<string, Probe<TemplateEstate>>> = {
  ...shared(emailRoot),
  ...shared(tentRoot),
  [`POST ${emailRoot}`]: [
    () => ({ name: "n", html: "<p>x</p>", ...defaults }),
    ({ emailId }) => ({ name: "n", email_id: emailId }),
    () => ({ name: "n", prompt: "A greeting" }),
  ],
  [`PATCH ${emailRoot}/{templateId}`]: [() => ({ name: "n", ...defaults })],
  [`GET ${emailRoot}/{templateId}/plain-text`]: none,
  [`PUT ${emailRoot}/{templateId}/plain-text`]: [() => ({ text: "mine" })],
  [`DELETE ${emailRoot}/{templateId}/plain-text`]: none,
  [`POST ${tentRoot}`]: [
    () => ({ name: "n", html: "<p>x</p>" }),
    ({ tentId }) => ({ name: "n", tent_id: tentId }),
    () => ({ name: "n", prompt: "A page for chairs" }),
  ],
  [`PATCH ${tentRoot}/{templateId}`]: [() => ({ name: "n" })],
}

/** All operations with the memory adapter; with PostgreSQL those that have a statement of their own or ids. */
const templatesUnder = (name: string, root: string): Room<TemplateEstate> => ({
  name,
  operations: operationsOf(tenants, [root]),
  probes: templateProbes,
  settle: settleTemplates(root),
  everything: templatesIn(root),
  ids: ["emailId", "tentId"],
  found: (json) => json.templates.length,
  reaches: ({ method, path }) => path === root || method === "PATCH",
})

export const emailTemplates = templatesUnder("email templates", emailRoot)
export const tentTemplates = templatesUnder("tent templates", tentRoot)
