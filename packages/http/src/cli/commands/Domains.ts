// The commands `tentpole domain …`, sending domains and their DNS records, `tentpole page-domain …`, custom domains for the
// pages of a workspace, and `tentpole hook list`, webhook URLs for mail providers.
import { Hooks } from "@tentpole/core/bounces/providers/Hooks"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Settings } from "@tentpole/core/kernel/Settings"
import { isLocalHost } from "@tentpole/core/kernel/values/LocalHost"
import { toDomain } from "@tentpole/core/kernel/values/DomainName"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import type { CheckedRecord } from "@tentpole/core/workspaces/DomainCheck"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { type CheckedDomain, Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { toCheckedDomainWire, toDomainWire, toPageDomainWire } from "../../admin/AdminWire.ts"
import { listCommand, overPorts, workspaceCommand, workspaceFlag, workspaceOf } from "../OverPorts.ts"
import { allOf, ChecksFailed, commandGroup, jsonFlag, print } from "../Output.ts"
import { fieldsOf } from "../Table.ts"

const config = { name: Argument.String("domain") }

const named = <Domain extends { readonly domain: string }>(
  domains: ReadonlyArray<Domain>,
  name: string,
  resource: string,
): Effect.Effect<Domain, NotFound> => {
  const found = domains.find(({ domain }) => domain === toDomain(name))
  return found === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(found)
}

/** Finds a sending domain of a workspace by its name. */
const domainOf = (workspace: WorkspaceId, name: string) =>
  WorkspaceStore.use(({ domains }) => domains(workspace)).pipe(
    Effect.flatMap((found) => named(found, name, "sending domain")),
  )

/** Warnings about names that only this machine or network knows. */
const localNames = ({ domain: { domain } }: CheckedDomain, mailHost: string): ReadonlyArray<string> => [
  ...(isLocalHost(domain)
    ? [`${domain} is a local name: other mail servers can't look up its records, so they can't verify its mail.`]
    : []),
  ...(isLocalHost(mailHost)
    ? [
        `${mailHost} in the records is a local host: set PUBLIC_PAGES_URL to a public URL, and publish the records then.`,
      ]
    : []),
]

const answerText = ({ answers, verified }: CheckedRecord): string => {
  if (answers === null) return verified ? "not looked up: the name is reserved for tests" : "no name server answered"
  return answers.length === 0 ? "no record" : answers.join(" | ")
}

/** The domain with its records: what they must be, and what DNS has. */
const domainText = (checked: CheckedDomain): string =>
  [
    `${checked.domain.domain} is ${checked.domain.status}.`,
    ...checked.records.map((record) => {
      const { answers, name, purpose, type, value, verified } = record
      return `\n${verified ? "ok     " : answers === null || answers.length === 0 ? "MISSING" : "WRONG  "}  ${purpose}\n${fieldsOf({ type, name, value, DNS: answerText(record) })}`
    }),
  ].join("\n")

/** A command that shows a domain with its records. `mustBeVerified`: it fails if the domain is not verified. */
const checkedCommand = <const Name extends string, E>(
  name: Name,
  description: string,
  check: (workspace: WorkspaceId, name: string) => Effect.Effect<CheckedDomain, E, Workspaces | WorkspaceStore>,
  { mustBeVerified }: { readonly mustBeVerified: boolean },
) =>
  Command.make(name, { workspace: workspaceFlag, json: jsonFlag, ...config }, (input) =>
    overPorts(
      Effect.gen(function* () {
        const { id } = yield* workspaceOf(input.workspace)
        const checked = yield* check(id, input.name)
        yield* print(input.json, { document: toCheckedDomainWire(checked), text: domainText(checked) })
        const { mailHost } = yield* Settings
        const warnings = input.json ? [] : localNames(checked, mailHost)
        for (const warning of warnings) yield* Console.error(`Warning: ${warning}`)
        const { domain, status } = checked.domain
        if (mustBeVerified && status !== "verified") {
          const reason = `${domain} is not verified: set the DKIM record as shown. DNS may take an hour to show a change.`
          return yield* new ChecksFailed({ reason })
        }
      }),
    ),
  ).pipe(Command.withDescription(description))

export const domain = commandGroup("domain", "Sending domains: list, show, create, verify, remove", [
  listCommand("Shows the sending domains of a workspace", ({ domains }) => domains, toDomainWire, [
    "domain",
    "status",
    "verified_at",
    "domain_id",
  ]),
  checkedCommand(
    "show",
    "Shows a sending domain, its DNS records and what DNS has",
    (workspace, name) =>
      Effect.flatMap(domainOf(workspace, name), ({ id }) =>
        Workspaces.use(({ getDomain }) => getDomain(workspace, id)),
      ),
    { mustBeVerified: false },
  ),
  checkedCommand(
    "create",
    "Adds a sending domain and shows the DNS records to set",
    (workspace, name) => Workspaces.use(({ addDomain }) => addDomain(workspace, name)),
    { mustBeVerified: false },
  ),
  checkedCommand(
    "verify",
    "Looks up the DNS records. The domain can send once its DKIM record is found",
    (workspace, name) =>
      Effect.flatMap(domainOf(workspace, name), ({ id }) =>
        Workspaces.use(({ verifyDomain }) => verifyDomain(workspace, id)),
      ),
    { mustBeVerified: true },
  ),
  workspaceCommand(
    "remove",
    "Removes a sending domain and its DKIM key",
    config,
    Effect.fnUntraced(function* (workspace, { name }) {
      const { domain, id } = yield* domainOf(workspace, name)
      yield* Workspaces.use(({ removeDomain }) => removeDomain(workspace, id))
      return { domain, removed: true }
    }),
  ),
])

export const pageDomain = commandGroup("page-domain", "Page domains: list, create, remove", [
  listCommand("Shows the page domains of a workspace", ({ pageDomains }) => pageDomains, toPageDomainWire, [
    "domain",
    "created_at",
    "page_domain_id",
  ]),
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
