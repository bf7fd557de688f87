// Trying a blast out: whom it would reach and what they would read, if it were sent at this moment.
import { Context, DateTime, Effect, Layer } from "effect"
import { Links } from "../../rendering/Links.ts"
import { compile } from "../../rendering/Compile.ts"
import { EmailStore } from "../../emails/EmailStore.ts"
import { asApproved } from "../../emails/Preview.ts"
import { renderContent } from "../../rendering/Render.ts"
import { type BlastId, DeliveryId, type WorkspaceId } from "../../kernel/Ids.ts"
import { InvalidState, type NotFound } from "../../kernel/Refusal.ts"
import { Settings } from "../../kernel/Settings.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { lockedOf } from "../Blast.ts"
import { BlastStore, type StoredBlast } from "../BlastStore.ts"
import { bareTokens, type DryRun, estimated_s } from "./DryRun.ts"
import { CampaignNotReady, type MissingPart, readiness } from "../Readiness.ts"
import { type Survey, DryRunStore } from "./DryRunStore.ts"

export class DryRuns extends Context.Service<
  DryRuns,
  {
    /** `operational`: how it would be sent; left out, a scheduled blast as it says, and a draft as marketing. */
    readonly dryRun: (
      ws: WorkspaceId,
      id: BlastId,
      options: { readonly operational?: boolean },
    ) => Effect.Effect<DryRun, NotFound | InvalidState | CampaignNotReady>
  }
>()("tentpole/DryRuns") {
  static readonly layer = Layer.effect(
    DryRuns,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const surveys = yield* DryRunStore
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const links = yield* Links
      const { smtpConnections } = yield* Settings

      /** What would be sent: the approval that is locked, or the latest, or the email as it is while there is none. */
      const contentOf = Effect.fnUntraced(function* (ws: WorkspaceId, { blast, facts }: StoredBlast) {
        const approvalId = lockedOf(blast)?.approvalId ?? facts.email?.approval?.approvalId
        if (approvalId !== undefined) return yield* Effect.orDie(emails.approval(ws, approvalId))
        if (blast.email === null) return null
        const current = yield* Effect.option(emails.current(ws, blast.email.emailId))
        if (current._tag === "None" || current.value.html === null) return null
        return asApproved(current.value.document, current.value.html)
      })

      return DryRuns.of({
        dryRun: Effect.fn("DryRuns.dryRun")(function* (ws, id, options) {
          const now = yield* DateTime.now
          const view = yield* store.get(ws, id, now)
          const { blast, facts } = view
          if (blast.status !== "draft" && blast.status !== "scheduled") {
            return yield* new InvalidState({ resource: "email blast", status: blast.status, move: "tried out" })
          }
          const operational = options.operational ?? (blast.status === "scheduled" && blast.operational)
          const email = facts.email === null ? null : yield* contentOf(ws, view)
          if (facts.list === null || email === null) return yield* lacking(view, operational)
          const tokens = bareTokens(email, facts.customFields)
          const needed = tokens.flatMap(({ of }) => of ?? [])
          const survey = yield* surveys.survey(ws, facts.list.listId, { operational, needed, now })
          if (survey === null) return yield* lacking({ ...view, facts: { ...facts, list: null } }, operational)

          const workspace = yield* Effect.orDie(workspaces.get(ws))
          const sender = { workspaceId: ws, workspaceName: workspace.name, postalAddress: workspace.postalAddress }
          const { addresses } = links
          const compiled = compile(email, sender, { operational, tracked: false, addresses })
          // No message has the blast's own id: these links lead nowhere.
          const nowhere = links.of({ workspaceId: ws, deliveryId: DeliveryId.make(id) })
          const dryRun: DryRun = {
            recipientCount: survey.recipientCount,
            qualifiedCount: survey.qualifiedCount,
            blocked: survey.blocked,
            domains: survey.domains,
            unresolvedTokens: unresolved(tokens, survey),
            estimated_s: estimated_s(survey, workspace, smtpConnections),
            // As these people would read it, but untracked.
            samples: survey.sample.map((contact) => ({
              contactId: contact.id,
              ...renderContent(compiled, { contact, dynamic: {}, links: nowhere }),
            })),
          }
          return dryRun
        }),
      })
    }),
  )
}

/** What a draft lacks, as reading it says; what became of a scheduled one's list or email, besides. */
const lacking = ({ blast, facts }: StoredBlast, operational: boolean): CampaignNotReady => {
  if (blast.status === "draft") return new CampaignNotReady({ readiness: readiness(blast, facts, operational) })
  const missing: ReadonlyArray<MissingPart> = [
    ...(facts.list === null ? (["audience"] as const) : []),
    ...(facts.email === null ? (["email"] as const) : []),
  ]
  return new CampaignNotReady({ readiness: { ready: false, missing, warnings: [] } })
}

const unresolved = (
  tokens: ReturnType<typeof bareTokens>,
  { lacking: counts, qualifiedCount }: Survey,
): DryRun["unresolvedTokens"] => {
  let asked = 0
  return tokens
    .map(({ token, of }) => ({ token, contactCount: of === null ? qualifiedCount : (counts[asked++] ?? 0) }))
    .filter(({ contactCount }) => contactCount > 0)
}
