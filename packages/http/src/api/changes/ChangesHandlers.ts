// The handler of the stream of changes.
import { Readiness } from "@tentpole/adapters/operations/Readiness"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { requireRole } from "@tentpole/core/workspaces/Role"
import { Effect, Option, Ref, Schedule, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import type { Caller } from "../../edge/Auth.ts"
import { toBody } from "../../edge/Errors.ts"
import { tooManyRequests } from "../../edge/RateLimit.ts"
import { handlersOf } from "../../GroupHandlers.ts"
import type { Watched } from "./ChangesApi.ts"
import { WatchedValues } from "./WatchedValues.ts"

/** Open streams of a key or user, and of a process. */
export const streams_per_caller_max = 5
export const streams_max = 1_000

const comment_every_ms = 15_000
const readiness_every_ms = 1_000

const headers = { "cache-control": "no-store", "x-accel-buffering": "no" }

const event = (of: string, json: string): string => `data: {"of":${JSON.stringify(of)},"value":${json}}\n\n`
const comment = ":\n\n"
const end = `data: {"of":"end"}\n\n`

/** Counts the open streams of a process. */
const openStreams = Effect.sync(() => {
  const open = new Map<string, number>()
  let total = 0
  const move = (actor: string, by: 1 | -1) =>
    Effect.sync(() => {
      const count = (open.get(actor) ?? 0) + by
      total += by
      if (count === 0) open.delete(actor)
      else open.set(actor, count)
    })
  return {
    check: (actor: string) =>
      total >= streams_max
        ? tooManyRequests("Too many streams of changes are open", 15)
        : (open.get(actor) ?? 0) >= streams_per_caller_max
          ? tooManyRequests(`At most ${streams_per_caller_max} streams of changes can be open`, 15)
          : Effect.void,
    during: <A>(actor: string, stream: Stream.Stream<A>) =>
      Stream.unwrap(
        Effect.as(
          Effect.acquireRelease(move(actor, 1), () => move(actor, -1)),
          stream,
        ),
      ),
  }
})

const services = Effect.all({
  values: WatchedValues,
  streams: openStreams,
  readiness: Effect.serviceOption(Readiness),
})

export const layer = handlersOf("changes", services, ({ values, streams, readiness }) => {
  /** Completes when the process stops taking requests. */
  const stopping = Option.match(readiness, {
    onNone: () => Effect.never,
    onSome: (ready) =>
      Ref.get(ready).pipe(
        Effect.repeat({ schedule: Schedule.spaced(readiness_every_ms), while: (isReady) => isReady }),
        Effect.asVoid,
      ),
  })

  /** Completes when the caller may not see the workspace any more. */
  const signedOut = ({ isLive }: Caller) =>
    Effect.asVoid(Effect.repeat(isLive, { schedule: Schedule.spaced(comment_every_ms), while: (live) => live }))

  const eventsOf = (workspace: WorkspaceId, watch: ReadonlyArray<Watched>, caller: Caller) =>
    Stream.mergeAll(
      [
        ...watch.map((each) => Stream.map(values.changes(workspace, each), (json) => event(each.of, json))),
        Stream.map(Stream.tick(comment_every_ms), () => comment),
      ],
      { concurrency: "unbounded" },
    ).pipe(
      Stream.interruptWhen(Effect.raceFirst(stopping, signedOut(caller))),
      Stream.concat(Stream.succeed(end)),
      Stream.encodeText,
    )

  return {
    watch: ({ query: { watch }, request }, { id }, caller) =>
      Effect.gen(function* () {
        if (watch.some(({ kind }) => kind === "export")) {
          yield* Effect.mapError(requireRole(caller.role, "editor"), toBody)
        }
        const actor = `${id} ${yield* Actor}`
        yield* streams.check(actor)
        return HttpApiSchema.withHeaders({ body: streams.during(actor, eventsOf(id, watch, caller)), headers })
      }).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request)),
  }
})
