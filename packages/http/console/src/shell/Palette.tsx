// Search and commands: screens by name, contacts by name or email.
import "@mantine/spotlight/styles.css"
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from "@mantine/spotlight"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { queryOf } from "../api/queries.ts"
import { addressOf, nameOf } from "../contacts/person.ts"
import { ContactsIcon, HelpIcon, SearchIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { onPalette } from "./keys.ts"
import { useMenu } from "./Side.tsx"

const [store, palette] = createSpotlight()
/** People shown for a search. */
const people_max = 5

interface Props {
  readonly onHelp: () => void
}

export const Palette = ({ onHelp }: Props) => {
  const words = useWords("shell")
  const navigate = useNavigate()
  const [query, setQuery] = useState("")
  const [search] = useDebouncedValue(query.trim(), 200)
  useEffect(() => {
    palette.open()
    return onPalette(palette.open)
  }, [])
  const people = useQuery({
    ...queryOf("contacts", "list", { query: { search, limit: people_max } }),
    enabled: search !== "",
  })
  const screens = useMenu().flatMap(({ entries }) => entries)
  const found = search === "" ? [] : (people.data?.items ?? [])
  const groups: Array<SpotlightActionGroupData> = [
    {
      group: words.searchScreens,
      actions: screens.map(({ icon: Icon, name, path }) => ({
        id: path,
        label: words.screens[name],
        leftSection: <Icon />,
        onClick: () => void navigate({ to: path }),
      })),
    },
    {
      group: words.searchPeople,
      actions: found.map((contact) => ({
        id: contact.contact_id,
        label: nameOf(contact),
        description: addressOf(contact),
        keywords: search,
        leftSection: <ContactsIcon />,
        onClick: () => void navigate({ to: `/contacts/${contact.contact_id}` }),
      })),
    },
    {
      group: words.searchCommands,
      actions: [{ id: "help", label: words.help, leftSection: <HelpIcon />, onClick: onHelp }],
    },
  ]
  return (
    <Spotlight
      store={store}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      overlayProps={{ blur: 1, backgroundOpacity: 0.35 }}
      title={words.search}
      maxHeight={420}
      nothingFound={words.searchNothing}
      searchProps={{
        leftSection: <SearchIcon />,
        placeholder: words.searchPlaceholder,
        "aria-label": words.search,
      }}
    />
  )
}
