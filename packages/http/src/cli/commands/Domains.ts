// The commands `tentpole domain …`, sending domains and their DNS records, `tentpole page-domain …`, custom domains for the
// pages of a workspace, and `tentpole hook list`, webhook URLs for mail providers.
import { Hooks } from "@tentpole/core/bounces/providers/Hooks"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { toCheckedDomainWire, toDomainWire, toPageDomainWire } from "../../admin/AdminWire.ts"
import { allOf, commandGroup, listCommand, workspaceCommand } from "../Run.ts"

const config = { name: Argument.String("domain") }

const named = <Domain extends { readonly domain: string }>(
  domains: ReadonlyArray<Domain>,
  name: string,
  resource: string,
): Effect.Effect<Domain, NotFound> => {
  const found = domains.find(({ domain }) => domain === toDomain(name))
  return found === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(found)
}

/** A command on one sending domain. */
const onDomain = <const Name extends string, A, E>(
  name: Name,
  description: string,
  work: (workspaces: Workspaces["Service"], workspace: WorkspaceId, domain: SendingDomain) => Effect.Effect<A, E>,
) =>
  workspaceCommand(
    name,
    description,
    config,
    Effect.fnUntraced(function* (workspace, input) {
      const { domains } = yield* WorkspaceStore
      const domain = yield* named(yield* domains(workspace), input.name, "sending domain")
      return yield* work(yield* Workspaces, workspace, domain)
    }),
  )

export const domain = commandGroup("domain", "Sending domains: list, show, create, verify, remove", [
  listCommand("Shows the sending domains of a workspace", ({ domains }) => domains, toDomainWire),
  onDomain("show", "Shows a sending domain and the state of its DNS records", ({ getDomain }, workspace, { id }) =>
    Effect.map(getDomain(workspace, id), toCheckedDomainWire),
  ),
  workspaceCommand("create", "Adds a sending domain and shows the DNS records to set", config, (workspace, { name }) =>
    Workspaces.use(({ addDomain }) => Effect.map(addDomain(workspace, name), toCheckedDomainWire)),
  ),
  onDomain(
    "verify",
    "Looks up the DNS records. The domain can send once its DKIM record is found",
    ({ verifyDomain }, workspace, { id }) => Effect.map(verifyDomain(workspace, id), toCheckedDomainWire),
  ),
  onDomain("remove", "Removes a sending domain and its DKIM key", ({ removeDomain }, workspace, { domain, id }) =>
    Effect.as(removeDomain(workspace, id), { domain, removed: true }),
  ),
])

export const pageDomain = commandGroup("page-domain", "Page domains: list, create, remove", [
  listCommand("Shows the page domains of a workspace", ({ pageDomains }) => pageDomains, toPageDomainWire),
  workspaceCommand(
    "create",
    "Adds a page domain. Its DNS must point to the pages' listener",
    config,
    (workspace, { name }) =>
      Administration.use(({ addPageDomain }) => Effect.map(addPageDomain(workspace, name), toPageDomainWire)),
  ),
  workspaceCommand(
    "remove",
    "Removes a page domain. Pages are no longer served under it",
    config,
    Effect.fnUntraced(function* (workspace, { name }) {
      const { pageDomains, removePageDomain } = yield* Administration
      const { domain, id } = yield* named(yield* allOf((by) => pageDomains(workspace, by)), name, "page domain")
      yield* removePageDomain(workspace, id)
      return { domain, removed: true }
    }),
  ),
])

const list = workspaceCommand("list", "Shows the webhook URLs for mail providers. They are secret", {}, (workspace) =>
  Hooks.useSync(({ addresses }) => addresses(workspace)),
)

export const hook = commandGroup("hook", "Webhooks of mail providers: list", [list])
