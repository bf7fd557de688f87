// Membership rows and their conversion in both directions, and a cache of flow structures by revision.
import type { PgClient } from "@effect/sql-pg"
import type { Structure } from "@tentpole/core/flows/definition/FlowSchema"
import type { Flow } from "@tentpole/core/flows/definition/Flow"
import { currentStepOf, dueAtOf, isLive, Membership } from "@tentpole/core/flows/members/Membership"
import { awaitedVisitOf } from "@tentpole/core/flows/members/MemberDeliveries"
import { FlowId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { DateTime, Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { ints, texts } from "../kernel/Arrays.ts"
import { type FlowRow, toFlow } from "./FlowRows.ts"

export interface MembershipRow {
  readonly membership_id: string
  readonly flow_id: string
  readonly contact_id: string
  readonly entry_source: string
  readonly tokens: unknown
  readonly created_emails: unknown
  readonly state: unknown
  readonly entered_at: Date
  readonly updated_at: Date
}

/** For a SELECT over alias `m` of `flow_membership`. */
export const membershipColumns = `m.membership_id, m.flow_id, m.contact_id, m.entry_source, m.tokens, m.created_emails, m.state,
  m.entered_at, m.updated_at`

const decode = Schema.decodeUnknownSync(Membership)
/** The other changing columns, which are stored as plain JSON. */
const encodeState = Schema.encodeSync(Membership.fields.state)

export const toMembership = (row: MembershipRow): Membership =>
  decode({
    id: row.membership_id,
    flowId: row.flow_id,
    contactId: row.contact_id,
    entrySource: row.entry_source,
    tokens: row.tokens,
    createdEmails: row.created_emails,
    state: row.state,
    enteredAt: row.entered_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  })

const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

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

type FlowHead = Omit<FlowRow, "structure">

const headColumns = `f.flow_id, f.name, f.description, f.status, f.revision, f.activated_at, f.paused_at, f.archived_at,
  f.created_at, f.updated_at`

/** Structures that a process caches. */
const structures_max = 2_000

/** Reads flows. A structure is read and decoded once for each revision. */
export class FlowReader {
  readonly #structures = new WeightedLru<Structure>(structures_max)

  /** `rest` follows the FROM clause; flows have the alias `f` in it. Ordered by id unless it says otherwise. */
  readonly read = Effect.fnUntraced(function* (
    this: FlowReader,
    sql: PgClient.PgClient,
    workspace: WorkspaceId,
    rest: Statement.Fragment,
  ) {
    const heads = yield* sql<FlowHead>`select ${sql.literal(headColumns)} from flow f ${rest}`
    const unknown = heads.filter((head) => this.#structures.get(keyOf(head)) === undefined)
    if (unknown.length > 0) {
      const rows = yield* sql<Pick<FlowRow, "flow_id" | "revision" | "structure">>`
        select flow_id, revision, structure from flow
        where workspace_id = ${workspace} and flow_id = any(${texts(unknown.map((head) => head.flow_id))}::uuid[])`
      const structures = new Map(rows.map((row) => [keyOf(row), row.structure]))
      for (const head of unknown) {
        // Edited between the two reads: the next call reads it again.
        const structure = structures.get(keyOf(head))
        if (structure !== undefined) this.#structures.set(keyOf(head), toFlow({ ...head, structure }).structure)
      }
    }
    return new Map(
      heads.flatMap((head): ReadonlyArray<[FlowId, Flow]> => {
        const structure = this.#structures.get(keyOf(head))
        return structure === undefined
          ? []
          : [[FlowId.make(head.flow_id), { ...toFlow({ ...head, structure: {} }), structure }]]
      }),
    )
  })
}

const keyOf = ({ flow_id, revision }: Pick<FlowRow, "flow_id" | "revision">): string => `${flow_id} ${revision}`
