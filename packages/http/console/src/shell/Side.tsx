// The side: the screens by groups.
import { NavLink } from "@mantine/core"
import { Link, useRouter, useRouterState } from "@tanstack/react-router"
import { useWords } from "../words/Words.tsx"
import { menu } from "./menu.ts"

/** The entries whose screens exist. */
export const useMenu = () => {
  const { routesByPath } = useRouter()
  return menu
    .map(({ entries, group }) => ({
      group,
      entries: entries.filter(({ path }) => Object.hasOwn(routesByPath, path)),
    }))
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
