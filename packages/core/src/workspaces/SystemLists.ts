// The two system lists of a new workspace.
import { fold } from "../kernel/Text.ts"

const systemList = <const Kind extends string>(kind: Kind, name: string, slug: string) => ({
  systemList: kind,
  name,
  nameFolded: fold(name),
  slug,
})

export const systemLists = [
  systemList("all_contacts", "All contacts", "all-contacts"),
  systemList("unsubscribed", "Unsubscribed", "unsubscribed"),
] as const
