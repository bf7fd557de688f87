// Results of the search by name: the screen of each, and the entry of the menu to which it belongs.
import type { SearchResults } from "@tentpole/client"
import type { Words } from "../words/Words.tsx"
import type { MenuEntry } from "./menu.ts"

export type Found = SearchResults["results"][number]

interface Target {
  readonly entry: MenuEntry["name"]
  /** The address of the screen, before the id. */
  readonly path: string
  /** The name of the id in the route. */
  readonly id: string
}

export const targets: { readonly [Type in Found["type"]]: Target } = {
  contact: { entry: "contacts", path: "/contacts", id: "$contactId" },
  list: { entry: "lists", path: "/lists", id: "$listId" },
  email: { entry: "emails", path: "/emails", id: "$emailId" },
  blast: { entry: "blasts", path: "/blasts", id: "$blastId" },
  flow: { entry: "flows", path: "/flows", id: "$flowId" },
  tent: { entry: "tents", path: "/tents", id: "$tentId" },
  email_template: { entry: "templates", path: "/templates/emails", id: "$templateId" },
  tent_template: { entry: "templates", path: "/templates/tents", id: "$templateId" },
}

type Details = Words["palette"]["details"]

const isKnown = (details: Details, detail: string): detail is keyof Details => Object.hasOwn(details, detail)

/** What the palette says of a result besides its name; empty for nothing. A contact's address is not repeated. */
export const describe = ({ detail, name }: Found, details: Details): string => {
  if (detail === null || detail === name) return ""
  return isKnown(details, detail) ? details[detail] : detail
}

/** The results whose screens exist, by entries of the menu. The best result is in the first group. */
export const groupsOf = (
  results: ReadonlyArray<Found>,
  hasRoute: (route: string) => boolean,
): ReadonlyArray<readonly [entry: MenuEntry["name"], results: ReadonlyArray<Found>]> => {
  const shown = results.filter(({ type }) => hasRoute(`${targets[type].path}/${targets[type].id}`))
  return [...Map.groupBy(shown, ({ type }) => targets[type].entry)]
}
