// The side: the screens by groups.
import { NavLink } from "@mantine/core"
import { Link, useRouter, useRouterState } from "@tanstack/react-router"
import { useWords } from "../words/Words.tsx"
import { useSession } from "../session.tsx"
import { menu, type MenuEntry } from "./menu.ts"

/** The entries whose screens exist and which the person may open. */
export const useMenu = () => {
  const { routesByPath } = useRouter()
  const { isOperator, may } = useSession()
  const isOpen = ({ needs, path }: MenuEntry) =>
    Object.hasOwn(routesByPath, path) && (needs === undefined || isOperator || (needs !== "operator" && may(needs)))
  return menu
    .map(({ entries, group }) => ({ group, entries: entries.filter(isOpen) }))
    .filter(({ entries }) => entries.length > 0)
}

export const Side = () => {
  const words = useWords("shell")
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <>
      {useMenu().map(({ entries, group }) => (
        <div key={group}>
          {words.groups[group] !== "" && <h2>{words.groups[group]}</h2>}
          {entries.map((entry) => (
            <NavLink
              key={entry.path}
              component={Link}
              to={entry.path}
              label={words.screens[entry.name]}
              leftSection={<entry.icon />}
              active={path === entry.path || path.startsWith(`${entry.path}/`)}
              variant="subtle"
              color="gray"
            />
          ))}
        </div>
      ))}
    </>
  )
}
