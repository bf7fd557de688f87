// The commands `tentpole page-domain …`: custom domains for the pages of a workspace.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { toPageDomainWire } from "../../admin/AdminWire.ts"
import { allOf, commandGroup, workspaceCommand } from "../Run.ts"

const config = { name: Argument.String("domain") }

const list = workspaceCommand("list", "Shows the page domains of a workspace", {}, (workspace) =>
  Administration.use(({ pageDomains }) => allOf((by) => pageDomains(workspace, by))).pipe(
    Effect.map((domains) => domains.map(toPageDomainWire)),
  ),
)

const create = workspaceCommand(
  "create",
  "Adds a page domain. Its DNS must point to the pages' listener",
  config,
  (workspace, { name }) =>
    Administration.use(({ addPageDomain }) => Effect.map(addPageDomain(workspace, name), toPageDomainWire)),
)

const remove = workspaceCommand(
  "remove",
  "Removes a page domain. Pages are no longer served under it",
  config,
  Effect.fnUntraced(function* (workspace, { name }) {
    const { pageDomains, removePageDomain } = yield* Administration
    const all = yield* allOf((by) => pageDomains(workspace, by))
    const found = all.find(({ domain }) => domain === toDomain(name))
    if (found === undefined) return yield* new NotFound({ resource: "page domain" })
    yield* removePageDomain(workspace, found.id)
    return { domain: found.domain, removed: true }
  }),
)

export const pageDomain = commandGroup("page-domain", "Page domains: list, create, remove", [list, create, remove])
