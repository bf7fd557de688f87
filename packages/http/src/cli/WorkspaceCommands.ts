// `tentpole workspace …`
import { planNames, type Workspace } from "@tentpole/core/workspaces/Workspace"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { named, overPorts, show } from "./Run.ts"

const shown = (workspace: Workspace) => ({
  workspace_id: workspace.id,
  name: workspace.name,
  slug: workspace.slug,
  plan: workspace.plan,
  credits: workspace.credits,
  time_zone: workspace.timeZone,
  default_country: workspace.defaultCountry,
  postal_address: workspace.postalAddress,
  sending_limits: {
    per_second: workspace.sendingPerSecond,
    per_domain_per_second: workspace.sendingPerDomainPerSecond,
  },
  created_at: DateTime.formatIso(workspace.createdAt),
})

const plan = Flag.Literals("plan", planNames).pipe(Flag.withDescription("free, pro or max"), Flag.optional)
const credits = Flag.Int("credits").pipe(
  Flag.withDescription("How many generations it may still have made"),
  Flag.optional,
)
const postalAddress = Flag.String("postal-address").pipe(
  Flag.withDescription("Stands in the footer of marketing mail"),
  Flag.optional,
)

/** A speed is a number, or `none`; what else is said goes on to be refused with the reason. */
const speed = (name: string, of: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`Messages a second ${of}, from 1 to 1000000, or none`),
    Flag.map((said) => (said === "none" ? null : Number(said))),
    Flag.optional,
  )
const perSecond = speed("per-second", "in all")
const perDomainPerSecond = speed("per-domain-per-second", "to each recipient domain")

const given = <Key extends string, A>(key: Key, value: Option.Option<A>): { readonly [K in Key]?: A } =>
  Option.isSome(value) ? ({ [key]: value.value } as { readonly [K in Key]: A }) : {}

const list = Command.make("list", {}, () =>
  overPorts(
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      yield* show((yield* store.all).map(shown))
    }),
  ),
).pipe(Command.withDescription("Shows all workspaces"))

const settings = { plan, credits, postalAddress, perSecond, perDomainPerSecond }

const create = Command.make(
  "create",
  { name: Argument.String("name"), slug: Flag.String("slug").pipe(Flag.optional), ...settings },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const made = yield* workspaces.create({
          name: said.name,
          ...given("slug", said.slug),
          ...given("plan", said.plan),
          ...given("credits", said.credits),
          ...given("postalAddress", said.postalAddress),
          ...given("sendingPerSecond", said.perSecond),
          ...given("sendingPerDomainPerSecond", said.perDomainPerSecond),
        })
        yield* show(shown(made))
      }),
    ),
).pipe(Command.withDescription("Makes a workspace"))

const update = Command.make("update", { slug: Argument.String("slug"), ...settings }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const workspaces = yield* Workspaces
      const { id } = yield* named(said.slug)
      const updated = yield* workspaces.update(id, {
        ...given("plan", said.plan),
        ...given("credits", said.credits),
        ...given("postalAddress", said.postalAddress),
        ...given("sendingPerSecond", said.perSecond),
        ...given("sendingPerDomainPerSecond", said.perDomainPerSecond),
      })
      yield* show(shown(updated))
    }),
  ),
).pipe(Command.withDescription("Changes a workspace's plan, credits, postal address or limits of speed"))

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("Workspaces: list, create, update"),
  Command.withSubcommands([list, create, update]),
)
