// What uses a list: while something does, the list cannot be deleted.
import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Fragment } from "react"
import { queryOf } from "../api/queries.ts"
import { useWords } from "../words/Words.tsx"

const paths = { blast: "/blasts", contact_list: "/lists", flow: "/flows" } as const

export interface Use {
  readonly type: keyof typeof paths
  readonly id: string
  readonly name: string
}

export const isUse = (value: unknown): value is Use => {
  const { id, name, type } = (value ?? {}) as Readonly<Record<string, unknown>>
  return typeof id === "string" && typeof name === "string" && typeof type === "string" && Object.hasOwn(paths, type)
}

export const UseLink = ({ use: { id, name, type } }: { readonly use: Use }) => {
  const words = useWords("lists")
  const path: string = `${paths[type]}/${id}`
  return (
    <>
      {words.uses[type]}{" "}
      <Link to={path} className="link inline">
        {name}
      </Link>
    </>
  )
}

export const UsedBy = ({ listId }: { readonly listId: string }) => {
  const words = useWords("lists")
  const usage = useQuery(queryOf("lists", "usage", { params: { listId } }))
  if (usage.data === undefined || usage.data.count === 0) return null
  const { blasts, count, flows, lists } = usage.data
  const all = Object.entries({ blast: blasts, flow: flows, contact_list: lists }).flatMap(([type, users]) =>
    users.map((user) => ({ ...user, type })).filter(isUse),
  )
  return (
    <Text size="sm" mb="md">
      {words.usedBy}{" "}
      {all.map((use, index) => (
        <Fragment key={use.id}>
          {index > 0 && " · "}
          <UseLink use={use} />
        </Fragment>
      ))}
      {count > all.length && ` ${words.moreUses(count - all.length)}`}
    </Text>
  )
}
