// How members of flows come to another time in tests: everything that they wait for is moved into the past.
import { PgClient } from "@effect/sql-pg"
import { type MemberRow, memberships } from "@tentpole/adapters/memory/MembershipTables"
import { MemoryDatabase } from "@tentpole/adapters/memory/MemoryDatabase"
import { fenced } from "@tentpole/adapters/postgres/Postgres"
import { FlowTimes } from "@tentpole/core/contract"
import type { MemberState } from "@tentpole/core/flows/Membership"
import { DateTime, Effect, Layer } from "effect"

const sooner = (at: DateTime.Utc, by_ms: number): DateTime.Utc => DateTime.makeUnsafe(at.epochMilliseconds - by_ms)

const stateSooner = (state: MemberState, by_ms: number): MemberState => {
  if (state.status === "waiting") {
    return { ...state, since: sooner(state.since, by_ms), until: state.until && sooner(state.until, by_ms) }
  }
  if (state.status === "active" && state.doing.kind === "run") {
    return { ...state, doing: { kind: "run", dueAt: sooner(state.doing.dueAt, by_ms) } }
  }
  return state
}

const rowSooner = ({ dueAt, membership }: MemberRow, by_ms: number): MemberRow => ({
  dueAt: dueAt && sooner(dueAt, by_ms),
  membership: { ...membership, state: stateSooner(membership.state, by_ms) },
})

export const memoryTimes = Layer.effect(
  FlowTimes,
  Effect.map(MemoryDatabase, (db) =>
    FlowTimes.of({
      elapse: Effect.fnUntraced(function* (ws, by_ms) {
        for (const row of yield* db.all(memberships, ws)) {
          yield* db.put(memberships, ws, row.membership.id, rowSooner(row, by_ms))
        }
      }),
    }),
  ),
)

export const postgresTimes = Layer.effect(
  FlowTimes,
  Effect.map(PgClient.PgClient, (sql) =>
    FlowTimes.of({
      elapse: (ws, by_ms) =>
        fenced(sql)(
          ws,
          sql`
            update flow_membership set due_at = due_at - make_interval(secs => ${by_ms / 1000}),
              state = case
                when status = 'waiting' then state || jsonb_build_object('since', (state ->> 'since')::bigint - ${by_ms}::bigint,
                  'until', (state ->> 'until')::bigint - ${by_ms}::bigint)
                when state #>> '{doing,kind}' = 'run' then jsonb_set(state, '{doing,dueAt}',
                  to_jsonb((state #>> '{doing,dueAt}')::bigint - ${by_ms}::bigint))
                else state end
            where workspace_id = ${ws}`,
        ).pipe(Effect.asVoid),
    }),
  ),
)
