// The use case of dry runs: which contacts a blast would reach, and what they would read, if it were sent now.
import { Context, DateTime, Effect, Layer, Option } from "effect"
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
import { type DryRunCounts, DryRunStore } from "./DryRunStore.ts"

export class DryRuns extends Context.Service<
  DryRuns,
  {
    /** `operational`: how it would be sent. Defaults to the setting of a scheduled blast, and to marketing for a draft. */
    readonly dryRun: (
      workspace: WorkspaceId,
      id: BlastId,
      options: { readonly operational?: boolean },
    ) => Effect.Effect<DryRun, NotFound | InvalidState | CampaignNotReady>
  }
>()("tentpole/DryRuns") {
  static readonly layer = Layer.effect(
    DryRuns,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const counts = yield* DryRunStore
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const links = yield* Links
      const { smtpConnections } = yield* Settings

      /** What would be sent: the locked approval, else the latest, else the current email. */
      const contentOf = Effect.fnUntraced(function* (workspace: WorkspaceId, { blast, facts }: StoredBlast) {
        const approvalId = lockedOf(blast)?.approvalId ?? facts.email?.approval?.approvalId
        if (approvalId !== undefined) return yield* Effect.orDie(emails.approval(workspace, approvalId))
        if (blast.email === null) return null
        const current = yield* Effect.option(emails.current(workspace, blast.email.emailId))
        if (Option.isNone(current) || current.value.html === null) return null
        return asApproved(current.value.document, current.value.html)
      })

      return DryRuns.of({
        dryRun: Effect.fn("DryRuns.dryRun")(function* (workspace, id, options) {
          const now = yield* DateTime.now
          const view = yield* store.get(workspace, id, now)
          const { blast, facts } = view
          if (blast.status !== "draft" && blast.status !== "scheduled") {
            return yield* new InvalidState({ resource: "email blast", status: blast.status, move: "tried out" })
          }
          const operational = options.operational ?? (blast.status === "scheduled" && blast.operational)
          const email = facts.email === null ? null : yield* contentOf(workspace, view)
          if (facts.list === null || email === null) return yield* notReady(view, operational)
          const tokens = bareTokens(email, facts.customFields)
          const needed = tokens.flatMap(({ of }) => of ?? [])
          const found = yield* counts.calculate(workspace, facts.list.listId, { operational, needed, now })
          if (found === null) return yield* notReady({ ...view, facts: { ...facts, list: null } }, operational)

          const { name, postalAddress, ...limits } = yield* Effect.orDie(workspaces.get(workspace))
          const sender = { workspaceId: workspace, workspaceName: name, postalAddress }
          const { addresses } = links
          const compiled = compile(email, sender, { operational, tracked: false, addresses })
          // No message has the blast's id, so these links lead nowhere.
          const nowhere = links.of({ workspaceId: workspace, deliveryId: DeliveryId.make(id) })
          const { missingCounts, sample, ...rest } = found
          return {
            ...rest,
            unresolvedTokens: unresolved(tokens, found),
            estimated_s: estimated_s(found, limits, smtpConnections),
            // Rendered for these contacts, without tracking.
            samples: sample.map((contact) => ({
              contactId: contact.id,
              ...renderContent(compiled, { contact, dynamic: {}, links: nowhere }),
            })),
          } satisfies DryRun
        }),
      })
    }),
  )
}

/** The missing parts: a draft's readiness, or the deleted list or email of a scheduled blast. */
const notReady = ({ blast, facts }: StoredBlast, operational: boolean): CampaignNotReady => {
  if (blast.status === "draft") return new CampaignNotReady({ readiness: readiness(blast, facts, operational) })
  const missing: ReadonlyArray<MissingPart> = [
    ...(facts.list === null ? (["audience"] as const) : []),
    ...(facts.email === null ? (["email"] as const) : []),
  ]
  return new CampaignNotReady({ readiness: { ready: false, missing, warnings: [] } })
}

const unresolved = (
  tokens: ReturnType<typeof bareTokens>,
  { missingCounts: counts, qualifiedCount }: DryRunCounts,
): DryRun["unresolvedTokens"] => {
  let asked = 0
  return tokens
    .map(({ token, of }) => ({ token, contactCount: of === null ? qualifiedCount : (counts[asked++] ?? 0) }))
    .filter(({ contactCount }) => contactCount > 0)
}
