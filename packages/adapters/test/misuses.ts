// What must not compile, shown to the compiler: `tsc -b` fails as soon as it stops refusing one of these. Beside each
// mistake stands what is right, so that it is the mistake that is refused, and nothing else. Nobody runs this file.
import type { BlastChange } from "@tentpole/core/blasts/machine"
import { changeOf } from "@tentpole/core/kernel/changes/Change"
import type { ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Job, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { type SlugTaken, type Workspace, WorkspaceChange } from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Effect } from "effect"

declare const id: WorkspaceId
declare const list: ListId
declare const workspace: Workspace
declare const change: WorkspaceChange
declare const job: Job

// A write asks for a transaction, and only `transact` answers.
const write = Effect.flatMap(WorkspaceStore, (store) => store.apply(change))
const transacted = Effect.flatMap(Transactor, ({ transact }) => transact(write))
export const inside: Effect.Effect<void, SlugTaken, WorkspaceStore | Transactor> = transacted
// @ts-expect-error Transaction is left in R
export const outside: Effect.Effect<void, SlugTaken, WorkspaceStore | Transactor> = write

const enqueue = Effect.flatMap(Jobs, (jobs) => jobs.enqueue(job, { id: "a job" }))
const enqueued = Effect.flatMap(Transactor, ({ transact }) => transact(enqueue))
export const jobInside: Effect.Effect<void, never, Jobs | Transactor> = enqueued
// @ts-expect-error a job goes with the transaction that wants it
export const jobOutside: Effect.Effect<void, never, Jobs | Transactor> = enqueue

const append = Effect.flatMap(Outbox, (outbox) => outbox.append(id, []))
const appended = Effect.flatMap(Transactor, ({ transact }) => transact(append))
export const eventInside: Effect.Effect<void, never, Outbox | Transactor> = appended
// @ts-expect-error an event goes with the change that made it
export const eventOutside: Effect.Effect<void, never, Outbox | Transactor> = append

// A change comes from a decision: it can't be written down, copied with something else in it, made, or inherited.
export const decided: WorkspaceChange = change
// @ts-expect-error a literal has no brand
export const literal: WorkspaceChange = { before: null, after: workspace }
// @ts-expect-error a spread has none either
export const spread: WorkspaceChange = { ...change, after: workspace }
// @ts-expect-error the constructor is private
export const made = () => new WorkspaceChange({ before: null, after: workspace })
// @ts-expect-error so it can't be inherited
export class Inherited extends WorkspaceChange {}
// @ts-expect-error what was decided stays
export const edited = () => (change.after = workspace)

// Ids are of what they name.
export const rightId = Effect.flatMap(WorkspaceStore, (store) => store.get(id))
// @ts-expect-error an id of a list finds no workspace
export const wrongId = Effect.flatMap(WorkspaceStore, (store) => store.get(list))
// @ts-expect-error nor does any string
export const noId = Effect.flatMap(WorkspaceStore, (store) => store.get("0198c0de-0000-7000-8000-000000000000"))

// A change comes from the machine of its room: it can't be written as a literal, copied with other fields, or made of a
// change of another room.
const plainBlastChange = { before: null, after: null, email: null, lists: [], wakesSenders: false, scheduleDueAt: null }
declare const blastChange: BlastChange
export const decidedBlast: BlastChange = blastChange
// @ts-expect-error a literal has no kind
export const literalBlast: BlastChange = { ...plainBlastChange, events: [], audit: [], jobs: [] }
// @ts-expect-error a spread has none either
export const spreadBlast: BlastChange = { ...blastChange, after: null }
// @ts-expect-error a change of another room is of another kind
export const otherRoom: BlastChange = changeOf("list")(plainBlastChange)
// @ts-expect-error what was decided stays
export const editedBlast = () => (blastChange.after = null)
