// The HTML of a version beside that of the current one.
import { Skeleton, Text } from "@mantine/core"
import { type UseQueryOptions, useQuery } from "@tanstack/react-query"
import { lazy, Suspense } from "react"
import { useWords } from "../../words/Words.tsx"
import { Problem } from "../Problem.tsx"

const CodeDiff = lazy(async () => ({ default: (await import("../code/CodeDiff.tsx")).CodeDiff }))

interface Props<Key extends ReadonlyArray<unknown>> {
  readonly chosen: number
  readonly current: number
  /** The query of a version's HTML. */
  readonly contentOf: (version: number) => UseQueryOptions<string, Error, string, Key>
}

const Diff = <Key extends ReadonlyArray<unknown>>({ chosen, contentOf, current }: Props<Key>) => {
  const words = useWords("shell").versions
  const [before, after] = [useQuery(contentOf(chosen)), useQuery(contentOf(current))]
  const error = before.error ?? after.error
  if (error !== null) return <Problem error={error} />
  if (before.data === undefined || after.data === undefined) return <Skeleton h={360} />
  return (
    <Suspense fallback={<Skeleton h={360} />}>
      <CodeDiff
        before={{ label: words.name(chosen), text: before.data }}
        after={{ label: words.name(current), text: after.data }}
      />
    </Suspense>
  )
}

export const Compared = <Key extends ReadonlyArray<unknown>>(props: Props<Key>) => {
  const words = useWords("shell").versions
  const { chosen, current } = props
  return (
    <>
      <Text size="sm" c="dimmed">
        {chosen === current ? words.comparedNone : words.compared(chosen, current)}
      </Text>
      {chosen !== current && <Diff {...props} />}
    </>
  )
}
