// Search and commands: screens by name, and all that the workspace has by name.
import "@mantine/spotlight/styles.css"
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from "@mantine/spotlight"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate, useRouter } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { queryOf } from "../api/queries.ts"
import { HelpIcon, SearchIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { describe, groupsOf, targets } from "./found.ts"
import { onPalette } from "./keys.ts"
import { menu } from "./menu.ts"
import { useMenu } from "./Side.tsx"

const [store, palette] = createSpotlight()

const entries = new Map(menu.flatMap((group) => group.entries.map((entry) => [entry.name, entry] as const)))

/** Groups of results for a text, and whether others are on their way. */
const useFound = (query: string) => {
  const words = useWords("palette")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const { routesByPath } = useRouter()
  const [text] = useDebouncedValue(query.trim(), 200)
  const { data, isFetching } = useQuery({
    ...queryOf("workspace", "search", { query: { q: text } }),
    enabled: text !== "",
    placeholderData: keepPreviousData,
  })
  const results = query.trim() === "" ? [] : (data?.results ?? [])
  const groups = groupsOf(results, (route) => Object.hasOwn(routesByPath, route)).map(
    ([name, its]): SpotlightActionGroupData => {
      const Icon = entries.get(name)?.icon ?? SearchIcon
      return {
        group: shell.screens[name],
        actions: its.map((result) => ({
          id: result.id,
          label: result.name,
          description: describe(result, words.details),
          // The service has compared the texts: it folds more than the palette does.
          keywords: query,
          leftSection: <Icon />,
          onClick: () => void navigate({ to: `${targets[result.type].path}/${result.id}` }),
        })),
      }
    },
  )
  return { groups, isPending: isFetching || text !== query.trim() }
}

interface Props {
  readonly onHelp: () => void
}

export const Palette = ({ onHelp }: Props) => {
  const words = useWords("palette")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const [query, setQuery] = useState("")
  useEffect(() => {
    palette.open()
    return onPalette(palette.open)
  }, [])
  const found = useFound(query)
  const screens = useMenu().flatMap((group) => group.entries)
  const groups: Array<SpotlightActionGroupData> = [
    {
      group: words.screens,
      actions: screens.map(({ icon: Icon, name, path }) => ({
        id: path,
        label: shell.screens[name],
        leftSection: <Icon />,
        onClick: () => void navigate({ to: path }),
      })),
    },
    ...found.groups,
    {
      group: words.commands,
      actions: [{ id: "help", label: shell.help, leftSection: <HelpIcon />, onClick: onHelp }],
    },
  ]
  return (
    <Spotlight
      store={store}
      actions={groups}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      centered={false}
      overlayProps={{ blur: 1, backgroundOpacity: 0.35 }}
      title={shell.search}
      maxHeight={420}
      nothingFound={found.isPending ? words.searching : shell.searchNothing}
      searchProps={{
        leftSection: <SearchIcon />,
        placeholder: words.placeholder,
        "aria-label": shell.search,
      }}
    />
  )
}
