// The commands `tentpole domain …`: sending domains and their DNS records.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { toCheckedDomainWire, toDomainWire } from "../../admin/AdminWire.ts"
import { allOf, commandGroup, workspaceCommand } from "../Run.ts"

const config = { name: Argument.String("domain") }

const domainOf = Effect.fnUntraced(function* (workspace: WorkspaceId, name: string) {
  const store = yield* WorkspaceStore
  const domain = (yield* store.domains(workspace)).find((each) => each.domain === toDomain(name))
  return domain ?? (yield* new NotFound({ resource: "sending domain" }))
})

const list = workspaceCommand("list", "Shows the sending domains of a workspace", {}, (workspace) =>
  Administration.use(({ domains }) => allOf((by) => domains(workspace, by))).pipe(
    Effect.map((domains) => domains.map(toDomainWire)),
  ),
)

const show = workspaceCommand(
  "show",
  "Shows a sending domain and the state of its DNS records",
  config,
  Effect.fnUntraced(function* (workspace, { name }) {
    const { getDomain } = yield* Workspaces
    return toCheckedDomainWire(yield* getDomain(workspace, (yield* domainOf(workspace, name)).id))
  }),
)

const create = workspaceCommand(
  "create",
  "Adds a sending domain and shows the DNS records to set",
  config,
  (workspace, { name }) =>
    Workspaces.use(({ addDomain }) => Effect.map(addDomain(workspace, name), toCheckedDomainWire)),
)

const verify = workspaceCommand(
  "verify",
  "Looks up the DNS records. The domain can send once its DKIM record is found",
  config,
  Effect.fnUntraced(function* (workspace, { name }) {
    const { verifyDomain } = yield* Workspaces
    return toCheckedDomainWire(yield* verifyDomain(workspace, (yield* domainOf(workspace, name)).id))
  }),
)

const remove = workspaceCommand(
  "remove",
  "Removes a sending domain and its DKIM key",
  config,
  Effect.fnUntraced(function* (workspace, { name }) {
    const { removeDomain } = yield* Workspaces
    const { domain, id } = yield* domainOf(workspace, name)
    yield* removeDomain(workspace, id)
    return { domain, removed: true }
  }),
)

export const domain = commandGroup("domain", "Sending domains: list, show, create, verify, remove", [
  list,
  show,
  create,
  verify,
  remove,
])
