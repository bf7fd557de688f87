// The description of an API as it is served: what the endpoints say of themselves, and what holds for all of them.
import { conventions } from "./Conventions.ts"
import { withExamples } from "./Examples.ts"
import { type Json, isObject, listIn } from "./Json.ts"
import { withMeanings } from "./ParameterDocs.ts"
import { withRefusals } from "./ErrorResponses.ts"

export interface About {
  /** For whoever opens the description: what it is, and what holds for every call. */
  readonly text: string
  /** Whether calls are counted against a key's limit, and POSTs may be repeated under an idempotency key. */
  readonly limited: boolean
  /** What each group of calls is about. */
  readonly groups: Readonly<Record<string, string>>
}

/** Schemas that are named after one side of a codec are the wire's: there is no other here. */
const withPlainNames = (description: Json): Json => {
  const text = JSON.stringify(description)
  const names = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name))
  const encoded = [...names].filter((name) => /Encoded\d*$/.test(name))
  const plain = new Map(
    encoded.flatMap((name) => {
      const bare = name.replace(/Encoded\d*$/, "")
      const clashes =
        names.has(bare) || encoded.some((other) => other !== name && other.replace(/Encoded\d*$/, "") === bare)
      return clashes ? [] : [[name, bare] as const]
    }),
  )
  const renamed = text.replace(
    /"#\/components\/schemas\/(\w+)"|"(\w+Encoded\d*)":/g,
    (all, ref?: string, key?: string) => {
      const bare = plain.get(ref ?? key ?? "")
      if (bare === undefined) return all
      return key === undefined ? `"#/components/schemas/${bare}"` : `"${bare}":`
    },
  )
  const parsed: unknown = JSON.parse(renamed)
  return isObject(parsed) ? parsed : description
}

const withAbout = (description: Json, { text, groups }: About): Json => ({
  ...description,
  info: {
    ...(isObject(description["info"]) ? description["info"] : {}),
    description: text,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/", description: "Where this description comes from" }],
  tags: listIn(description, "tags").map((tag) =>
    isObject(tag) ? { ...tag, description: groups[String(tag["name"])] } : tag,
  ),
})

export const described =
  (about: About) =>
  (description: Json): Json =>
    withExamples(
      withRefusals(
        withMeanings(conventions(withPlainNames(withAbout(description, about)), { limited: about.limited })),
      ),
    )

export const tenantsApi: About = {
  limited: true,
  text: [
    "Landing pages (tents) made by AI, contacts, email blasts and flows, for one workspace: that of the API key.",
    "Every call carries `Authorization: Bearer <API key>`. Requests and answers are JSON with names in snake_case; timestamps are ISO 8601 in UTC. What is wrong with a request is told all at once in `details.issues`, each with its path. Work that goes on is answered with 202 at once; ask for it every 10 seconds.",
    "Any POST may carry `Idempotency-Key`, and is then done once. Listings are paged by `page` and `limit`, or by `cursor`, where an answer has `next_cursor`.",
  ].join("\n\n"),
  groups: {
    analytics: "What published pages are looked at.",
    blastExports: "Recipients of blasts as CSV.",
    blasts: "One email to an audience: made, tried out, scheduled, sent, and what became of it.",
    bulkTents: "Up to 25 tents from one template.",
    contactFields: "Custom fields of contacts, and what rules can say of all fields.",
    contacts: "People, known by email address or phone number.",
    emailTemplates: "What emails begin with.",
    emails: "Emails in versions, written by hand or by AI, approved, previewed and tried out.",
    flowMembers: "Who is in a flow, and how they came to be where they are.",
    flows: "Flows: triggers, steps, activation, and trying them out.",
    forms: "What visitors of pages send by forms.",
    imports: "Files of contacts: looked at, mapped, run, and what did not go in.",
    listExports: "Members of lists as CSV.",
    lists: "Contacts by name (static), by rules (dynamic), and those that every workspace has (system).",
    segments: "Questions by rules: who is picked, and why.",
    tentAssets: "Files that go with a tent's prompt.",
    tentTemplates: "What tents are built on.",
    tents: "Pages: made, published, unpublished.",
  },
}

export const administrationApi: About = {
  limited: false,
  text: "Workspaces and what belongs to them, for who has the `ADMIN_TOKEN`: `Authorization: Bearer <ADMIN_TOKEN>`. Errors look like those of the API; listings go by `cursor`.",
  groups: {
    auditLog: "Who did what.",
    domains: "Domains that a workspace sends from.",
    keys: "API keys of a workspace.",
    pageDomains: "Domains that a workspace's pages are served under.",
    suppressions: "Addresses that are never mailed.",
    contacts: "What is kept of a person, told and forgotten.",
    workspaces: "Workspaces, their plans, credits and defaults.",
  },
}
