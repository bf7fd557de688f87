// `tentpole page-domain …`: hosts of a workspace's own for its pages.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { toPageDomainWire } from "../../admin/AdminWire.ts"
import { named, overPorts, show, slicesOf, workspaceFlag } from "../Run.ts"

const name = Argument.String("domain")

const list = Command.make("list", { workspace: workspaceFlag }, ({ workspace }) =>
  overPorts(
    Effect.gen(function* () {
      const { pageDomains } = yield* Administration
      const { id } = yield* named(workspace)
      yield* show((yield* slicesOf((by) => pageDomains(id, by))).map(toPageDomainWire))
    }),
  ),
).pipe(Command.withDescription("Shows the hosts of a workspace's pages"))

const create = Command.make("create", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const { addPageDomain } = yield* Administration
      const { id } = yield* named(said.workspace)
      yield* show(toPageDomainWire(yield* addPageDomain(id, said.name)))
    }),
  ),
).pipe(Command.withDescription("Adds a host; point its DNS at the pages' listener"))

const remove = Command.make("remove", { workspace: workspaceFlag, name }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const { pageDomains, removePageDomain } = yield* Administration
      const { id } = yield* named(said.workspace)
      const all = yield* slicesOf((by) => pageDomains(id, by))
      const wanted = all.find(({ domain }) => domain === toDomain(said.name))
      if (wanted === undefined) return yield* new NotFound({ resource: "page domain" })
      yield* removePageDomain(id, wanted.id)
      yield* show({ domain: wanted.domain, removed: true })
    }),
  ),
).pipe(Command.withDescription("Removes a host: pages are served there no more"))

export const pageDomain = Command.make("page-domain").pipe(
  Command.withDescription("Hosts of pages: list, create, remove"),
  Command.withSubcommands([list, create, remove]),
)
