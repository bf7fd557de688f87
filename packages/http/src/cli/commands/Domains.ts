// `tentpole domain …`: sending domains and the DNS records they need.
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { toCheckedDomainWire, toDomainWire } from "../../admin/AdminWire.ts"
import { named, overPorts, show, slicesOf, workspaceFlag } from "../Run.ts"

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
      const { domains } = yield* Administration
      const { id } = yield* named(workspace)
      yield* show((yield* slicesOf((by) => domains(id, by))).map(toDomainWire))
    }),
  ),
).pipe(Command.withDescription("Shows a workspace's sending domains"))

const create = Command.make("create", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const { id } = yield* named(said.workspace)
      yield* show(toCheckedDomainWire(yield* workspaces.addDomain(id, said.name)))
    }),
  ),
).pipe(Command.withDescription("Adds a sending domain and shows the DNS records to set"))

const verify = Command.make("verify", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const { id, domain } = yield* found(said.workspace, said.name)
      yield* show(toCheckedDomainWire(yield* workspaces.verifyDomain(id, domain.id)))
    }),
  ),
).pipe(Command.withDescription("Looks the DNS records up; with DKIM in place the domain may send"))

const showOne = Command.make("show", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const { id, domain } = yield* found(said.workspace, said.name)
      yield* show(toCheckedDomainWire(yield* workspaces.showDomain(id, domain.id)))
    }),
  ),
).pipe(Command.withDescription("Shows a sending domain and which of its DNS records are there"))

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
  Command.withDescription("Sending domains: list, show, create, verify, remove"),
  Command.withSubcommands([list, showOne, create, verify, remove]),
)
