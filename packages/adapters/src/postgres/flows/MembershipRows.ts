// Membership rows and their conversion in both directions, and a cache of flow structures by revision.
import type { PgClient } from "@effect/sql-pg"
import type { Structure } from "@tentpole/core/flows/definition/FlowSchema"
import { readStored } from "@tentpole/core/flows/definition/FlowInput"
import { currentStepOf, dueAtOf, isLive, Membership } from "@tentpole/core/flows/members/Membership"
import { awaitedVisitOf } from "@tentpole/core/flows/members/MemberDeliveries"
import type { CountedMembership } from "@tentpole/core/flows/members/TallyMoves"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { DateTime, Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { ints, texts } from "../kernel/Arrays.ts"
import { fromRow, iso, type RowOf } from "../kernel/Instants.ts"
import { type FlowHead, type FlowRow, headColumns, withStructure } from "./FlowRows.ts"

type Columns = Omit<Membership, "state">

export interface MembershipRow extends RowOf<Columns> {
  readonly state: typeof Membership.fields.state.Encoded
}

/** For a SELECT over alias `m` of `flow_membership`. */
export const membershipColumns = `m.membership_id as id, m.flow_id as "flowId", m.contact_id as "contactId",
  m.entry_source as "entrySource", m.tokens, m.created_emails as "createdEmails", m.state, m.entered_at as "enteredAt",
  m.updated_at as "updatedAt"`

const decodeState = Schema.decodeSync(Membership.fields.state)
const encodeState = Schema.encodeSync(Membership.fields.state)

export const toMembership = ({ state, ...columns }: MembershipRow): Membership => ({
  ...fromRow<Columns>(columns),
  state: decodeState(state),
})

/** The columns that counters depend on. */
export type CountedRow = Pick<MembershipRow, keyof CountedMembership>

export const toCounted = ({ enteredAt, flowId, state }: CountedRow): CountedMembership => ({
  enteredAt: DateTime.makeUnsafe(enteredAt),
  flowId,
  state: decodeState(state),
})

const duesOf = (members: ReadonlyArray<Membership>) =>
  texts(members.map(({ state }) => iso(isLive(state) ? dueAtOf(state) : null)))

/** Due times as arrays: `unnest(…) as g (id, due_at)`. */
export const dueArrays = (sql: PgClient.PgClient, members: ReadonlyArray<Membership>): Statement.Fragment =>
  sql`${texts(members.map(({ id }) => id))}::uuid[], ${duesOf(members)}::timestamptz[]`

/** States of memberships as arrays: `unnest(…) as g (id, tokens, …)`. */
export const stateColumns = `id, tokens, created_emails, state, status, step_id, awaited_visit, due_at, updated_at`

export const stateArrays = (sql: PgClient.PgClient, members: ReadonlyArray<Membership>): Statement.Fragment =>
  sql`${texts(members.map(({ id }) => id))}::uuid[],
    ${texts(members.map(({ tokens }) => JSON.stringify(tokens)))}::jsonb[],
    ${texts(members.map(({ createdEmails }) => JSON.stringify(createdEmails)))}::jsonb[],
    ${texts(members.map(({ state }) => JSON.stringify(encodeState(state))))}::jsonb[],
    ${texts(members.map(({ state }) => state.status))}::text[],
    ${texts(members.map(({ state }) => currentStepOf(state)))}::text[],
    ${ints(members.map(({ state }) => awaitedVisitOf(state)))}::int[],
    ${duesOf(members)}::timestamptz[],
    ${texts(members.map(({ updatedAt }) => iso(updatedAt)))}::timestamptz[]`

/** Structures that a process caches. */
const structures_max = 2_000

/** Reads flows. A structure is read and decoded once for each revision. */
export class FlowReader {
  readonly #structures = new WeightedLru<Structure>(structures_max)

  /** `rest` follows the FROM clause; flows have the alias `f` in it. */
  readonly read = Effect.fnUntraced(function* (
    this: FlowReader,
    sql: PgClient.PgClient,
    workspace: WorkspaceId,
    rest: Statement.Fragment,
  ) {
    const heads = yield* sql<FlowHead>`select ${sql.literal(headColumns)} from flow f ${rest}`
    const unknown = heads.filter((head) => this.#structures.get(keyOf(head)) === undefined)
    if (unknown.length > 0) {
      const rows = yield* sql<Pick<FlowRow, "id" | "revision" | "structure">>`
        select flow_id as id, revision, structure from flow
        where workspace_id = ${workspace} and flow_id = any(${texts(unknown.map(({ id }) => id))}::uuid[])`
      for (const row of rows) this.#structures.set(keyOf(row), readStored(row.structure))
    }
    return new Map(
      heads.flatMap((head) => {
        // Undefined: edited between the two reads. The next call reads it again.
        const structure = this.#structures.get(keyOf(head))
        return structure === undefined ? [] : [[head.id, withStructure(head, structure)] as const]
      }),
    )
  })
}

const keyOf = ({ id, revision }: Pick<FlowRow, "id" | "revision">): string => `${id} ${revision}`
