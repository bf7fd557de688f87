// AvailableTokens: the use case that lists the merge tokens that have a value.
import { Context, Effect, Layer } from "effect"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { standardFields } from "../contacts/ContactFields.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import { sampleContact } from "../emails/Preview.ts"
import type { FlowId, WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { findTokens, resolveToken } from "../rendering/MergeTokens.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import type { Structure } from "./definition/FlowSchema.ts"
import { FlowStore } from "./definition/FlowStore.ts"
import { outputKey } from "./definition/Step.ts"

export const tokenSources = ["contact", "custom_field", "workspace", "message", "flow"] as const

export interface AvailableToken {
  /** The name between the braces, without formats and fallback. */
  readonly token: string
  readonly label: string
  readonly source: (typeof tokenSources)[number]
  /** The value in a preview with a sample contact; null: there is none. */
  readonly sample: string | null
}

export class AvailableTokens extends Context.Service<
  AvailableTokens,
  {
    /** With a flow, its declared tokens and the pages that its steps create, too. */
    readonly list: (workspace: WorkspaceId, flow?: FlowId) => Effect.Effect<ReadonlyArray<AvailableToken>, NotFound>
  }
>()("tentpole/AvailableTokens") {
  static readonly layer = Layer.effect(
    AvailableTokens,
    Effect.gen(function* () {
      const fields = yield* ContactFieldStore
      const flows = yield* FlowStore
      const workspaces = yield* WorkspaceStore

      return AvailableTokens.of({
        list: Effect.fn("AvailableTokens.list")(function* (workspaceId, flowId) {
          const { name } = yield* Effect.orDie(workspaces.get(workspaceId))
          const own = tokensOf(yield* fields.list(workspaceId), name)
          if (flowId === undefined) return own
          const { flow } = yield* flows
            .get(workspaceId, flowId)
            .pipe(Effect.catchTag("NotFound", () => new NotFound({ resource: "flow", path: "flow_id" })))
          return [...own, ...flowTokens(flow.structure)]
        }),
      })
    }),
  )
}

/** The tokens of each message of a workspace. */
export const tokensOf = (
  customFields: ReadonlyArray<CustomField>,
  workspaceName: string,
): ReadonlyArray<AvailableToken> => [
  ...standardFields.map(({ apiName, displayName }) =>
    sampled({ token: `contact.${apiName}`, label: displayName, source: "contact" }, workspaceName),
  ),
  sampled({ token: "contact.contact_id", label: "Contact ID", source: "contact" }, workspaceName),
  ...customFields
    .filter(({ status }) => status === "active")
    .map(({ apiName, displayName }) =>
      sampled({ token: `contact.custom_fields.${apiName}`, label: displayName, source: "custom_field" }, workspaceName),
    ),
  sampled({ token: "workspace.name", label: "Workspace name", source: "workspace" }, workspaceName),
  { token: "unsubscribe_url", label: "Unsubscribe link", source: "message", sample: null },
  { token: "view_in_browser_url", label: "View in browser link", source: "message", sample: null },
]

const noLinks = { unsubscribe: "", view: "" }

const sampled = (token: Omit<AvailableToken, "sample">, workspaceName: string): AvailableToken => {
  const [found] = findTokens(`{{${token.token}}}`)
  const values = { contact: sampleContact(), dynamic: {}, workspaceName, links: noLinks }
  const sample = found === undefined ? "" : resolveToken(found.token, values)
  return { ...token, sample: sample === "" ? null : sample }
}

/** The flow tokens that the structure names, each once. Answers of forms are known only when they arrive. */
export const flowTokens = ({ steps, triggers }: Structure): ReadonlyArray<AvailableToken> => {
  const keys = [
    ...triggers.flatMap((trigger) => (trigger.type === "service_api" ? trigger.fields.map(({ name }) => name) : [])),
    ...steps.flatMap((step) => (step.type === "create_tent" ? [outputKey(step)] : [])),
  ]
  return [...new Set(keys)].map((key) => ({
    token: `campaign.dynamic.${key}`,
    label: key,
    source: "flow",
    sample: null,
  }))
}
