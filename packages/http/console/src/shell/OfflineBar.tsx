// The bar that shows while the service does not answer. It asks again until it does, then refreshes what is shown.
import { Alert } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { isReachable, useReachable } from "../api/reachable.ts"
import { OfflineIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"

const every_ms = 3_000

export const OfflineBar = () => {
  const reachable = useReachable()
  const words = useWords("shell")
  const queries = useQueryClient()
  useEffect(() => {
    if (reachable) return undefined
    const ask = async () => {
      const answer = await fetch("/icon.svg", { cache: "no-store" }).catch(() => null)
      if (answer === null) return
      isReachable(true)
      await queries.invalidateQueries()
    }
    const timer = setInterval(() => void ask(), every_ms)
    return () => clearInterval(timer)
  }, [reachable, queries])
  if (reachable) return null
  return (
    <Alert color="yellow" radius={0} icon={<OfflineIcon />} role="alert">
      {words.unreachable}
    </Alert>
  )
}
