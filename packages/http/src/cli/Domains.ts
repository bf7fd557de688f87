// `tentpole domain …`: sending domains and the DNS records they need.
import { toDomain } from "@tentpole/core/workspaces/DomainName"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import { type CheckedDomain, Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { NotFound } from "@tentpole/core/Refusal"
import { DateTime, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { named, overPorts, show, workspaceFlag } from "./Run.ts"

const summary = (domain: SendingDomain) => ({
  domain_id: domain.id,
  domain: domain.domain,
  status: domain.status,
  dkim_selector: domain.dkimSelector,
  verified_at: domain.verifiedAt === null ? null : DateTime.formatIso(domain.verifiedAt),
  created_at: DateTime.formatIso(domain.createdAt),
})

const shown = ({ domain, records }: CheckedDomain) => ({ ...summary(domain), dns_records: records })

const name = Argument.String("domain")

const found = Effect.fnUntraced(function* (slug: string, wanted: string) {
  const { id } = yield* named(slug)
  const store = yield* WorkspaceStore
  const domain = (yield* store.domains(id)).find((each) => each.domain === toDomain(wanted))
  return { id, domain: domain ?? (yield* new NotFound({ resource: "sending domain" })) }
})

const list = Command.make("list", { workspace: workspaceFlag }, ({ workspace }) =>
  overPorts(
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const { id } = yield* named(workspace)
      yield* show((yield* store.domains(id)).map(summary))
    }),
  ),
).pipe(Command.withDescription("Shows a workspace's sending domains"))

const create = Command.make("create", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const { id } = yield* named(said.workspace)
      yield* show(shown(yield* workspaces.addDomain(id, said.name)))
    }),
  ),
).pipe(Command.withDescription("Adds a sending domain and shows the DNS records to set"))

const verify = Command.make("verify", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const { id, domain } = yield* found(said.workspace, said.name)
      yield* show(shown(yield* workspaces.verifyDomain(id, domain.id)))
    }),
  ),
).pipe(Command.withDescription("Looks the DNS records up; with DKIM in place the domain may send"))

const remove = Command.make("remove", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const { id, domain } = yield* found(said.workspace, said.name)
      yield* workspaces.removeDomain(id, domain.id)
      yield* show({ domain: domain.domain, removed: true })
    }),
  ),
).pipe(Command.withDescription("Removes a sending domain and its DKIM key"))

export const domain = Command.make("domain").pipe(
  Command.withDescription("Sending domains: list, create, verify, remove"),
  Command.withSubcommands([list, create, verify, remove]),
)
