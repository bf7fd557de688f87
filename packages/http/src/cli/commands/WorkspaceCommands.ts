// The commands `tentpole workspace …`. `export` writes one file of JSON lines per table.
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import type { StoredRow } from "@tentpole/core/operations/privacy/PrivacyStore"
import { EmailId } from "@tentpole/core/kernel/Ids"
import { marketingConsents, oneClickScopes, planNames } from "@tentpole/core/workspaces/Workspace"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, type Option, Record, Schema, Stream } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import { appendFile, mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { toWorkspaceWire } from "../../api/workspaces/WorkspaceWire.ts"
import { command, workspaceOf } from "../OverPorts.ts"
import { allOf, commandGroup } from "../Output.ts"
import { textOf } from "../Table.ts"

const because = (folder: string) => (cause: unknown) =>
  new BadConfiguration({
    reason: `${folder} can't be written (${cause instanceof Error ? cause.message : String(cause)}): use an empty folder or a new one.`,
  })

/** Writes the rows to the files of their tables and returns the number of rows of each. Existing files are not overwritten. */
const written = Effect.fnUntraced(function* (folder: string, rows: Stream.Stream<ReadonlyArray<StoredRow>>) {
  const orRefused = (act: () => Promise<unknown>) => Effect.tryPromise({ try: act, catch: because(folder) })
  const counts: Record<string, number> = {}
  yield* orRefused(() => mkdir(folder, { recursive: true, mode: 0o700 }))
  yield* Stream.runForEach(rows, (some) =>
    Effect.forEach(
      Object.entries(Object.groupBy(some, ({ table }) => table)),
      ([table, found = []]) => {
        const known = counts[table]
        counts[table] = (known ?? 0) + found.length
        const lines = found.map(({ row }) => `${JSON.stringify(row)}\n`).join("")
        const options = { flag: known === undefined ? "wx" : "a", mode: 0o600 }
        return orRefused(() => appendFile(join(folder, `${table}.ndjson`), lines, options))
      },
      { discard: true },
    ),
  )
  return counts
})

export const workspaceExport = command(
  "export",
  "Writes all data of a workspace to a folder, one file of JSON lines per table",
  {
    slug: Argument.String("slug"),
    to: Flag.String("to").pipe(Flag.withDescription("Folder for the files")),
  },
  Effect.fnUntraced(function* (input) {
    const { rows } = yield* Privacy
    const { id } = yield* workspaceOf(input.slug)
    const folder = resolve(input.to)
    return { workspace_id: id, folder, rows: yield* written(folder, rows(id)) }
  }),
)

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** An empty text clears the value. */
const clearable = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`${description}. An empty text removes it`),
    Flag.map((value) => (value === "" ? null : value)),
    Flag.optional,
  )

/** A rate is a number or `none`. The use case refuses other text with an explanation. */
const rate = (name: string, scope: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(`Messages per second ${scope}, 1 to 1000000 or none`),
    Flag.map((value) => (value === "none" ? null : Number(value))),
    Flag.optional,
  )

const settings = {
  plan: Flag.Literals("plan", planNames).pipe(Flag.withDescription("free, pro or max"), Flag.optional),
  credits: Flag.Int("credits").pipe(Flag.withDescription("Remaining credits for generations"), Flag.optional),
  postalAddress: clearable("postal-address", "Postal address in the footer of marketing email"),
  sendingPerSecond: rate("per-second", "in total"),
  sendingPerDomainPerSecond: rate("per-domain-per-second", "for each recipient domain"),
  timeZone: text("time-zone", "IANA time zone, such as Europe/Zurich"),
  defaultCountry: text("default-country", "Country of phone numbers without a country code, such as US"),
  senderDefaults: {
    fromName: clearable("from-name", "Default sender name of emails"),
    fromAddress: clearable("from-address", "Default sender address of emails"),
    replyToEmail: clearable("reply-to", "Default reply-to address of emails"),
  },
  brand: {
    name: clearable("brand-name", "Name that visitors and recipients see"),
    logoUrl: clearable("logo-url", "URL of the logo on hosted pages"),
    iconUrl: clearable("icon-url", "URL of the icon of pages"),
    primaryColor: clearable("primary-color", "Color of buttons and links, such as #1a73e8"),
    domain: clearable("brand-domain", "Domain of the brand's website, in new emails"),
    description: clearable("brand-description", "What the brand does, for the AI"),
    guidelines: clearable("brand-guidelines", "How texts and pages should look and sound, for the AI"),
  },
  consent: {
    marketingConsent: Flag.Literals("marketing-consent", marketingConsents).pipe(
      Flag.withDescription(
        "assumed: marketing goes to contacts that have not objected. required: to those that agreed",
      ),
      Flag.optional,
    ),
    confirmation_days: Flag.Int("confirmation-days").pipe(
      Flag.withDescription("How long a subscription request can be confirmed, 1 to 30"),
      Flag.optional,
    ),
    confirmationEmailId: Flag.String("confirmation-email").pipe(
      Flag.withDescription("Id of the email that asks for the confirmation. An empty text removes it"),
      Flag.withSchema(Schema.Union([Schema.Literal(""), EmailId])),
      Flag.map((value) => (value === "" ? null : value)),
      Flag.optional,
    ),
    confirmationsPerHour: Flag.Int("confirmations-per-hour").pipe(
      Flag.withDescription("Unconfirmed subscription requests in an hour, 1 to 100000"),
      Flag.optional,
    ),
    privacyUrl: clearable("privacy-url", "Link on pages and in confirmation mails"),
    oneClick: Flag.Literals("one-click", oneClickScopes).pipe(
      Flag.withDescription("What one click of mail programs ends: the topic of the message, or all marketing"),
      Flag.optional,
    ),
  },
}

/** The fields whose flags are set. */
const given = <Options extends Readonly<Record<string, Option.Option<unknown>>>>(options: Options) =>
  Record.getSomes(options) as { readonly [Key in keyof Options]?: Option.Option.Value<Options[Key]> }

const settingsOf = ({ brand, consent, senderDefaults, ...fields }: Command.Command.Config.Infer<typeof settings>) => ({
  ...given(fields),
  senderDefaults: given(senderDefaults),
  brand: given(brand),
  consent: given(consent),
})

const list = command(
  "list",
  "Shows all workspaces",
  {},
  () =>
    Administration.use(({ workspaces }) => allOf(workspaces)).pipe(
      Effect.map((workspaces) => workspaces.map(toWorkspaceWire)),
    ),
  (workspaces) => textOf(workspaces, ["slug", "name", "plan", "credits", "time_zone", "workspace_id"]),
)

const show = command("show", "Shows a workspace", { slug: Argument.String("slug") }, ({ slug }) =>
  Effect.map(workspaceOf(slug), toWorkspaceWire),
)

const create = command(
  "create",
  "Creates a workspace",
  { name: Argument.String("name"), slug: Flag.String("slug").pipe(Flag.optional), ...settings },
  ({ name, slug, ...fields }) =>
    Workspaces.use((workspaces) => workspaces.create({ name, ...given({ slug }), ...settingsOf(fields) })).pipe(
      Effect.map(toWorkspaceWire),
    ),
)

const update = command(
  "update",
  "Changes the name, plan, credits, time zone, country, addresses, brand, consent or sending limits of a workspace",
  { slug: Argument.String("slug"), name: Flag.String("name").pipe(Flag.optional), ...settings },
  Effect.fnUntraced(function* ({ name, slug, ...fields }) {
    const workspaces = yield* Workspaces
    const { id } = yield* workspaceOf(slug)
    return toWorkspaceWire(yield* workspaces.update(id, { ...given({ name }), ...settingsOf(fields) }))
  }),
)

const remove = command(
  "delete",
  "Disables a workspace at once; a worker then erases all of its data. This cannot be undone",
  {
    slug: Argument.String("slug"),
    confirm: Flag.String("confirm").pipe(Flag.withDescription("The slug again, to confirm the deletion")),
  },
  Effect.fnUntraced(function* (input) {
    const administration = yield* Administration
    const { id } = yield* workspaceOf(input.slug)
    yield* administration.delete(id, input.confirm)
    return { workspace_id: id, status: "erasing" }
  }),
)

export const workspace = commandGroup("workspace", "Workspaces: list, show, create, update, delete, export", [
  list,
  show,
  create,
  update,
  remove,
  workspaceExport,
])
