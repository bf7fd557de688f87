// Live values: one stream of server-sent events for each visible tab. Its values go into the cache of the queries.
import { urlOf } from "@tentpole/client/Request"
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { createParser } from "eventsource-parser"
import { useEffect } from "react"
import { headers, sessionFetch } from "./client.ts"
import { queryOf } from "./queries.ts"

/** What a stream watches: a kind and an id, such as `blast:1`, or what goes on in the workspace. */
export type Watched = `${"blast" | "import" | "email" | "flow" | "tent" | "export" | "bulk"}:${string}` | "workspace"

interface Change {
  readonly of: string
  readonly value: unknown
}

/** The queries whose answer is the value of a kind. Others get it by `useChanges`' second argument only. */
const keyOf = (of: string): ReadonlyArray<unknown> | null => {
  const [kind = "", id = ""] = of.split(":")
  switch (kind) {
    case "blast":
      return queryOf("blasts", "find", { params: { blastId: id } }).queryKey
    case "import":
      return queryOf("imports", "find", { params: { import_run_id: id } }).queryKey
    case "email":
      return queryOf("emails", "find", { params: { emailId: id } }).queryKey
    case "tent":
      return queryOf("tents", "show", { params: { tentId: id } }).queryKey
    default:
      return null
  }
}

type Listener = (of: string, value: unknown) => void

const listeners = new Set<{ readonly watched: ReadonlySet<string>; readonly hear: Listener }>()

/** Things that one stream watches. */
const watched_max = 20

/** All that the mounted components watch. */
const wanted = (): ReadonlyArray<string> => {
  const names = new Set([...listeners].flatMap(({ watched }) => [...watched]))
  return [...names].sort().slice(0, watched_max)
}

/** A change of what is watched opens another stream, after a rest: a screen mounts several components. */
const reopen_ms = 100
const retry_ms = 2_000
const retry_max_ms = 30_000

let open: { readonly watch: string; readonly abort: AbortController } | null = null
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0

const isChange = (value: unknown): value is Change =>
  typeof value === "object" && value !== null && "of" in value && typeof value.of === "string" && "value" in value

const take = (queries: QueryClient, data: string): void => {
  const change: unknown = JSON.parse(data)
  if (!isChange(change)) return
  failures = 0
  const key = keyOf(change.of)
  if (key !== null && change.value !== null) queries.setQueryData(key, change.value)
  // Null: the thing was deleted. Its own call says so.
  if (key !== null && change.value === null) void queries.invalidateQueries({ queryKey: key })
  for (const { hear, watched } of listeners) if (watched.has(change.of)) hear(change.of, change.value)
}

/** Reads one stream until its end. */
const read = async (queries: QueryClient, watch: string, signal: AbortSignal): Promise<void> => {
  const url = urlOf(location.origin, "/v1/changes", { query: { watch } })
  const response = await sessionFetch(url, { headers: { ...headers, accept: "text/event-stream" }, signal })
  if (!response.ok || response.body === null) throw new Error(`The stream of changes answered ${response.status}`)
  const parser = createParser({ onEvent: ({ data }) => take(queries, data) })
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) parser.feed(text)
}

const close = (): void => {
  open?.abort.abort()
  open = null
}

const schedule = (queries: QueryClient, wait_ms: number): void => {
  clearTimeout(timer)
  timer = setTimeout(() => follow(queries), wait_ms)
}

/** Opens the stream for what is watched now. A hidden tab has none: browsers allow six connections to a host. */
const follow = (queries: QueryClient): void => {
  const watch = wanted().join(",")
  if (watch === "" || document.hidden) return close()
  if (open?.watch === watch) return
  close()
  const abort = new AbortController()
  open = { watch, abort }
  read(queries, watch, abort.signal)
    .catch(() => {
      failures += 1
    })
    .finally(() => {
      if (abort.signal.aborted) return
      open = null
      // A stream also ends when a process stops: another one answers.
      schedule(queries, failures === 0 ? reopen_ms : Math.min(retry_max_ms, retry_ms * 2 ** (failures - 1)))
    })
}

/**
 * Keeps the queries of these things current while the component is mounted. `hear` gets each value, for those that are no
 * answer of a query.
 */
export const useChanges = (watched: ReadonlyArray<Watched>, hear?: Listener): void => {
  const queries = useQueryClient()
  const names = watched.join(",")
  useEffect(() => {
    const listener = { watched: new Set(names.split(",")), hear: hear ?? (() => undefined) }
    const shown = () => {
      // What changed while the tab was hidden is asked for again.
      if (!document.hidden) void queries.invalidateQueries()
      schedule(queries, 0)
    }
    if (names !== "") listeners.add(listener)
    document.addEventListener("visibilitychange", shown)
    schedule(queries, reopen_ms)
    return () => {
      listeners.delete(listener)
      document.removeEventListener("visibilitychange", shown)
      schedule(queries, reopen_ms)
    }
  }, [names, hear, queries])
}
