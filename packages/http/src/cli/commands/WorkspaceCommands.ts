// `tentpole workspace …`
import { type PlanName, planNames, type WorkspaceFields } from "@tentpole/core/workspaces/Workspace"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { toWorkspaceWire } from "../../admin/WorkspaceWire.ts"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { workspaceExport } from "./WorkspaceExport.ts"
import { named, overPorts, show, slicesOf } from "../Run.ts"

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
      const { workspaces } = yield* Administration
      yield* show((yield* slicesOf(workspaces)).map(toWorkspaceWire))
    }),
  ),
).pipe(Command.withDescription("Shows all workspaces"))

const timeZone = Flag.String("time-zone").pipe(
  Flag.withDescription("Of the IANA database: Europe/Zurich"),
  Flag.optional,
)
const defaultCountry = Flag.String("default-country").pipe(
  Flag.withDescription("By which phone numbers without a country code are read: US, DE"),
  Flag.optional,
)
const sender = (name: string, of: string) => Flag.String(name).pipe(Flag.withDescription(of), Flag.optional)
const fromName = sender("from-name", "Default sender's name of emails")
const fromAddress = sender("from-address", "Default sender's address of emails")
const replyTo = sender("reply-to", "Default address for replies")

const settings = {
  plan,
  credits,
  postalAddress,
  perSecond,
  perDomainPerSecond,
  timeZone,
  defaultCountry,
  fromName,
  fromAddress,
  replyTo,
}

interface Settings {
  readonly plan: Option.Option<PlanName>
  readonly credits: Option.Option<number>
  readonly postalAddress: Option.Option<string>
  readonly perSecond: Option.Option<number | null>
  readonly perDomainPerSecond: Option.Option<number | null>
  readonly timeZone: Option.Option<string>
  readonly defaultCountry: Option.Option<string>
  readonly fromName: Option.Option<string>
  readonly fromAddress: Option.Option<string>
  readonly replyTo: Option.Option<string>
}

const fieldsOf = (said: Settings): WorkspaceFields => ({
  ...given("plan", said.plan),
  ...given("credits", said.credits),
  ...given("postalAddress", said.postalAddress),
  ...given("sendingPerSecond", said.perSecond),
  ...given("sendingPerDomainPerSecond", said.perDomainPerSecond),
  ...given("timeZone", said.timeZone),
  ...given("defaultCountry", said.defaultCountry),
  senderDefaults: {
    ...given("fromName", said.fromName),
    ...given("fromAddress", said.fromAddress),
    ...given("replyToEmail", said.replyTo),
  },
})

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
          ...fieldsOf(said),
        })
        yield* show(toWorkspaceWire(made))
      }),
    ),
).pipe(Command.withDescription("Makes a workspace"))

const update = Command.make(
  "update",
  {
    slug: Argument.String("slug"),
    name: Flag.String("name").pipe(Flag.optional),
    ...settings,
  },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const { id } = yield* named(said.slug)
        const updated = yield* workspaces.update(id, { ...given("name", said.name), ...fieldsOf(said) })
        yield* show(toWorkspaceWire(updated))
      }),
    ),
).pipe(
  Command.withDescription(
    "Changes a workspace's name, plan, credits, time zone, country, addresses or limits of speed",
  ),
)

const remove = Command.make(
  "delete",
  {
    slug: Argument.String("slug"),
    confirm: Flag.String("confirm").pipe(Flag.withDescription("The slug again: all of the workspace is erased")),
  },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const administration = yield* Administration
        const { id } = yield* named(said.slug)
        yield* administration.remove(id, said.confirm)
        yield* show({ workspace_id: id, status: "erasing" })
      }),
    ),
).pipe(Command.withDescription("Ends a workspace at once; a worker erases all of it. It can't be taken back"))

const showOne = Command.make("show", { slug: Argument.String("slug") }, ({ slug }) =>
  overPorts(Effect.flatMap(named(slug), (found) => show(toWorkspaceWire(found)))),
).pipe(Command.withDescription("Shows a workspace"))

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("Workspaces: list, show, create, update, delete, export"),
  Command.withSubcommands([list, showOne, create, update, remove, workspaceExport]),
)
