// The endpoint that streams changes: what a page shows follows the service without polling.
import { uuidId } from "@tentpole/core/kernel/Page"
import { Schema, SchemaGetter } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { Text } from "../../Wire.ts"

export const watchedKinds = ["blast", "bulk", "email", "export", "flow", "import", "tent", "webhook"] as const
export type WatchedKind = (typeof watchedKinds)[number]

/** Things that one stream watches. */
export const watched_max = 20

/** A thing to watch, as the request names it: `blast:<id>`. `workspace` is what goes on in the workspace. */
export interface Watched {
  readonly of: string
  readonly kind: WatchedKind | "workspace"
  readonly id: string
}

const isKind = (word: string): word is WatchedKind => watchedKinds.some((kind) => kind === word)

const watchedOf = (of: string): Watched | null => {
  if (of === "workspace") return { of, kind: "workspace", id: "" }
  const [kind = "", id = "", ...rest] = of.split(":")
  return isKind(kind) && uuidId.test(id) && rest.length === 0 ? { of, kind, id } : null
}

const message = `must name 1 to ${watched_max} different things by commas, such as workspace,blast:<id>. The kinds are ${watchedKinds.join(", ")}`

/** Every name is read: the filter of the text has refused the others. */
const watchedIn = (text: string): ReadonlyArray<Watched> =>
  text.split(",").flatMap((of) => {
    const watched = watchedOf(of)
    return watched === null ? [] : [watched]
  })

const isWatchable = (text: string): boolean => {
  const names = text.split(",")
  return names.length <= watched_max && new Set(names).size === names.length && names.length === watchedIn(text).length
}

const watchParameter = Text(1000, 1)
  .annotate({ examples: ["workspace,blast:0192f1de-7c3a-7cc0-9c5f-3d1d8f3ad001"] })
  .check(Schema.makeFilter((text) => isWatchable(text) || message))
  .pipe(
    Schema.decodeTo(Schema.Array(Schema.Any as Schema.Codec<Watched>), {
      decode: SchemaGetter.transform(watchedIn),
      encode: SchemaGetter.transform((all: ReadonlyArray<Watched>) => all.map(({ of }) => of).join(",")),
    }),
  )

const EventStream = HttpApiSchema.WithHeaders(
  HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream; charset=utf-8" }),
  { "cache-control": Schema.String, "x-accel-buffering": Schema.String },
)

export const ChangesApi = Endpoint.group("changes", "Changes as they happen, as server-sent events.").add(
  Endpoint.get("watch", "/v1/changes", {
    needs: "viewer",
    summary: "Watch changes",
    description:
      'Streams server-sent events: for each thing first its present value, then its new value when it changes, at most once a second. The data of an event is JSON: `{"of": "blast:<id>", "value": …}`. The value of a blast is the blast with its `progress`, of a flow its graph with counts, of others what the call that gets it returns; an export has no `download_url` here. The value of `workspace` has the blasts that are being sent and the imports that run. It is null for what does not exist. Every 15 seconds a comment keeps the connection open. The stream ends with `{"of": "end"}` when the process stops: watch again. Exports need the role `editor`.',
    query: { watch: watchParameter },
    success: EventStream,
    errors: ["role_too_low", "rate_limited"],
  }),
)
