// Changes as they happen: one stream of server-sent events for the things that the visible screens watch. Its values go into
// the cache of queries. A hidden tab has no stream. Without a stream, the queries are repeated every two seconds.
import type { Blast, BlastProgress, NamedImportRun } from "@tentpole/client"
import { urlOf } from "@tentpole/client/Request"
import { createParser } from "eventsource-parser"
import { useEffect } from "react"
import { api, headers, sessionFetch } from "./client.ts"
import { type Change, follow } from "./follow.ts"
import { queryClient, queryOf } from "./queries.ts"

/** What a stream watches: a kind and an id, such as `blast:1`, or what goes on in the workspace. */
export type Watched =
  | `${"blast" | "import" | "email" | "flow" | "tent" | "export" | "bulk" | "webhook"}:${string}`
  | "workspace"

export type WatchedBlast = Blast & { readonly progress: BlastProgress }

/** The blasts that are being sent and the imports that run. */
export interface GoingOn {
  readonly blasts: ReadonlyArray<WatchedBlast>
  readonly imports: ReadonlyArray<NamedImportRun>
}

const listed_max = 10

/** What goes on in the workspace. Watch `workspace` beside it. */
export const goingOnQuery = {
  queryKey: ["changes", "workspace"],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<GoingOn> => {
    const [{ blasts }, { runs }] = await Promise.all([
      api.blasts.list({ query: { status: "sending", limit: listed_max } }, { signal }),
      api.imports.list({ query: { limit: listed_max } }, { signal }),
    ])
    const progress = await Promise.all(
      blasts.map(({ blast_id }) => api.blasts.progress({ params: { blastId: blast_id } }, { signal })),
    )
    return {
      blasts: blasts.flatMap((blast, index) => {
        const its = progress[index]
        return its === undefined ? [] : [{ ...blast, progress: its }]
      }),
      imports: runs.filter(({ status }) => status === "queued" || status === "running"),
    }
  },
} as const

interface Target {
  readonly queryKey: ReadonlyArray<unknown>
  /** What the query has of the value. Default: all. */
  readonly pick?: string
}

/** The queries that show a watched thing. */
const targetsOf = (of: string): ReadonlyArray<Target> => {
  const [kind = "", id = ""] = of.split(":")
  switch (kind) {
    case "workspace":
      return [goingOnQuery]
    case "blast":
      return [
        queryOf("blasts", "find", { params: { blastId: id } }),
        { ...queryOf("blasts", "progress", { params: { blastId: id } }), pick: "progress" },
      ]
    case "bulk":
      return [queryOf("bulkTents", "find", { params: { bulkJobId: id } })]
    case "email":
      return [queryOf("emails", "find", { params: { emailId: id } })]
    case "flow":
      return [queryOf("flows", "graph", { params: { flowId: id } })]
    case "import":
      return [queryOf("imports", "find", { params: { import_run_id: id } })]
    case "tent":
      return [queryOf("tents", "show", { params: { tentId: id } })]
    case "webhook":
      return [queryOf("webhookEndpoints", "find", { params: { endpointId: id } })]
    default:
      return []
  }
}

const statusOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "status" in value ? value.status : undefined

/** Groups of calls whose answers another status of a thing makes stale. */
const roomsOf: Readonly<Record<string, string>> = {
  blast: "blasts",
  bulk: "bulkTents",
  email: "emails",
  import: "imports",
  tent: "tents",
  webhook: "webhookEndpoints",
}

/** The blasts of the value in the listings that show them; those that ended are read again. */
const writeGoingOn = (before: GoingOn | undefined, now: GoingOn): void => {
  const byId = new Map(now.blasts.map((blast) => [blast.blast_id, blast]))
  queryClient.setQueriesData<{ readonly blasts: ReadonlyArray<Blast> }>({ queryKey: ["blasts", "list"] }, (page) =>
    page === undefined ? page : { ...page, blasts: page.blasts.map((blast) => byId.get(blast.blast_id) ?? blast) },
  )
  const idsOf = ({ blasts, imports }: GoingOn) => [
    ...blasts.map(({ blast_id }) => `blasts ${blast_id}`),
    ...imports.map(({ import_run_id }) => `imports ${import_run_id}`),
  ]
  const [old, present] = [before === undefined ? [] : idsOf(before), idsOf(now)]
  const changed = [...old.filter((id) => !present.includes(id)), ...present.filter((id) => !old.includes(id))]
  for (const room of new Set(changed.map((id) => id.split(" ")[0]))) {
    void queryClient.invalidateQueries({ queryKey: [room] })
  }
}

const write = ({ of, value }: Change): void => {
  if (of === "workspace") writeGoingOn(queryClient.getQueryData(goingOnQuery.queryKey), value as GoingOn)
  const room = roomsOf[of.split(":")[0] ?? ""]
  for (const { pick, queryKey } of targetsOf(of)) {
    const before = queryClient.getQueryData(queryKey)
    const now = pick === undefined ? value : (value as Readonly<Record<string, unknown>> | null)?.[pick]
    // What was deleted has no value: its query shows how.
    if (now === null || now === undefined) void queryClient.invalidateQueries({ queryKey })
    else queryClient.setQueryData(queryKey, now)
    const isOther = before !== undefined && statusOf(before) !== statusOf(now)
    if (isOther && room !== undefined) void queryClient.invalidateQueries({ queryKey: [room] })
  }
}

type Listener = (of: string, value: unknown) => void

const listeners = new Set<{ readonly watched: ReadonlySet<string>; readonly hear: Listener }>()

const onChange = (change: Change): void => {
  write(change)
  for (const { hear, watched } of listeners) if (watched.has(change.of)) hear(change.of, change.value)
}

const isChange = (value: unknown): value is Change =>
  typeof value === "object" && value !== null && "of" in value && typeof value.of === "string"

/** Reads one stream until its end. */
const read = async (watch: string, signal: AbortSignal, take: (change: Change) => void, onHeard: () => void) => {
  const url = urlOf(location.origin, "/v1/changes", { query: { watch } })
  const response = await sessionFetch(url, { headers: { ...headers, accept: "text/event-stream" }, signal })
  if (!response.ok || response.body === null) throw new Error(`The stream of changes answered ${response.status}`)
  const parser = createParser({
    onEvent: ({ data }) => {
      const change: unknown = JSON.parse(data)
      if (isChange(change)) take(change)
    },
  })
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    onHeard()
    parser.feed(text)
  }
}

const poll_every_ms = 2_000
/** Screens that change at once, such as tabs, open one stream. */
const rest_ms = 50
/** Things that one stream watches. */
const watched_max = 20

/** All that the mounted components watch. */
const wanted = (): ReadonlyArray<string> =>
  [...new Set([...listeners].flatMap(({ watched }) => [...watched]))].sort().slice(0, watched_max)

const start = (watched: ReadonlyArray<string>): (() => void) => {
  const ending = new AbortController()
  let isLive = false
  const poll = setInterval(() => {
    if (isLive) return
    for (const { queryKey } of watched.flatMap(targetsOf)) void queryClient.invalidateQueries({ queryKey })
  }, poll_every_ms)
  const stream = {
    read: (signal: AbortSignal, take: (change: Change) => void, onHeard: () => void) =>
      read(watched.join(","), signal, take, onHeard),
    onChange,
    onLive: (now: boolean) => {
      isLive = now
    },
  }
  void follow(stream, ending.signal)
  return () => {
    clearInterval(poll)
    ending.abort()
  }
}

let open: { readonly watch: string; readonly stop: () => void } | null = null
let restarting: ReturnType<typeof setTimeout> | undefined

/** Opens the stream for what is watched now. A hidden tab has none: browsers allow six connections to a host. */
const restart = (): void => {
  clearTimeout(restarting)
  restarting = setTimeout(() => {
    const watched = document.hidden ? [] : wanted()
    const watch = watched.join(",")
    if (open?.watch === watch) return
    open?.stop()
    open = watched.length === 0 ? null : { watch, stop: start(watched) }
  }, rest_ms)
}

document.addEventListener("visibilitychange", restart)

/**
 * Keeps the queries of these things current while the component is mounted. `hear` gets each value, for those that are no
 * answer of a query.
 */
export const useChanges = (watched: ReadonlyArray<Watched>, hear?: Listener): void => {
  const names = watched.join(",")
  useEffect(() => {
    if (names === "") return undefined
    const listener = { watched: new Set(names.split(",")), hear: hear ?? (() => undefined) }
    listeners.add(listener)
    restart()
    return () => {
      listeners.delete(listener)
      restart()
    }
  }, [names, hear])
}
