// Code that must not compile. `tsc -b` fails when it accepts one of these lines. Correct code is beside each mistake, so that
// only the mistake is an error. This file is never executed.
import type { BlastChange } from "@tentpole/core/blasts/machine"
import { changeOf } from "@tentpole/core/kernel/changes/Change"
import type { ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Job, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import type { SlugTaken, WorkspaceChange } from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import type { PgClient } from "@effect/sql-pg"
import { fencedWrites } from "@tentpole/adapters/postgres/kernel/Postgres"
import { Effect } from "effect"

declare const id: WorkspaceId
declare const list: ListId
declare const change: WorkspaceChange
declare const job: Job

// A write requires a transaction, which only `transact` provides.
const write = Effect.flatMap(WorkspaceStore, (store) => store.apply(change))
const transacted = Effect.flatMap(Transactor, ({ transact }) => transact(write))
export const inside: Effect.Effect<void, SlugTaken, WorkspaceStore | Transactor> = transacted
// @ts-expect-error R still contains Transaction
export const outside: Effect.Effect<void, SlugTaken, WorkspaceStore | Transactor> = write

const enqueue = Effect.flatMap(Jobs, (jobs) => jobs.enqueue(job, { id: "a job" }))
const enqueued = Effect.flatMap(Transactor, ({ transact }) => transact(enqueue))
export const jobInside: Effect.Effect<void, never, Jobs | Transactor> = enqueued
// @ts-expect-error a job is enqueued in the transaction of its change
export const jobOutside: Effect.Effect<void, never, Jobs | Transactor> = enqueue

const append = Effect.flatMap(Outbox, (outbox) => outbox.append(id, []))
const appended = Effect.flatMap(Transactor, ({ transact }) => transact(append))
export const eventInside: Effect.Effect<void, never, Outbox | Transactor> = appended
// @ts-expect-error an event is written with its change
export const eventOutside: Effect.Effect<void, never, Outbox | Transactor> = append

declare const sql: PgClient.PgClient
const fencedWrite = fencedWrites(sql)(id, Effect.void)
const fencedInside = Effect.flatMap(Transactor, ({ transact }) => transact(fencedWrite))
export const statementInside: Effect.Effect<void, never, Transactor> = fencedInside
// @ts-expect-error a statement that writes is in a transaction
export const statementOutside: Effect.Effect<void, never, Transactor> = fencedWrite

// Ids are branded by what they identify.
export const rightId = Effect.flatMap(WorkspaceStore, (store) => store.get(id))
// @ts-expect-error a list id identifies no workspace
export const wrongId = Effect.flatMap(WorkspaceStore, (store) => store.get(list))
// @ts-expect-error nor does a plain string
export const noId = Effect.flatMap(WorkspaceStore, (store) => store.get("0198c0de-0000-7000-8000-000000000000"))

// A change comes from the machine of its room only: not from a literal, a spread or another room's change.
const plainBlastChange = { before: null, after: null, email: null, lists: [], wakesSenders: false, scheduleDueAt: null }
declare const blastChange: BlastChange
export const decidedBlast: BlastChange = blastChange
// @ts-expect-error a literal has no kind
export const literalBlast: BlastChange = { ...plainBlastChange, events: [], audit: [], jobs: [] }
// @ts-expect-error a spread has no kind
export const spreadBlast: BlastChange = { ...blastChange, after: null }
// @ts-expect-error a change of another room has another kind
export const otherRoom: BlastChange = changeOf("list")(plainBlastChange)
// @ts-expect-error a change is read-only
export const editedBlast = () => (blastChange.after = null)
