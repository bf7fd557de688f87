// The use cases of a restore: recognise that the database was restored from a backup, show what waits, and release it.
import { Context, DateTime, Effect, Layer, Schema, Stream } from "effect"
import { applyEvent, BlastStore } from "../../blasts/BlastStore.ts"
import { AuditLog } from "../../kernel/changes/AuditLog.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { encodeText } from "../../kernel/Bytes.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { BlobStore, type BlobUnavailable } from "../../ports/BlobStore.ts"
import { compareEpochs, epoch_bytes_max, epoch_key, EpochCopy } from "./Epoch.ts"
import { SendJournal } from "../../sending/journal/SendJournal.ts"
import type { JournalVerdict } from "./Proof.ts"
import { type ReadJournal, replaying } from "./Replay.ts"
import { canReleaseFlows, decideRelease, type Restore, type RestoredBlast, type RestoredFlow } from "./Release.ts"
import { RestoreStore } from "./RestoreStore.ts"

/** What waits for a release. */
export interface RestoreStatus extends Restore {
  readonly blasts: ReadonlyArray<RestoredBlast & { readonly workspace: WorkspaceId }>
  readonly flows: ReadonlyArray<RestoredFlow & { readonly workspace: WorkspaceId }>
}

/** `waits`: it can't be released yet. */
export type ReleaseOutcome = "released" | "unscheduled" | "waits"

export interface Released {
  readonly id: string
  readonly outcome: ReleaseOutcome
  /** Recipients that may have the message and are not sent it again. */
  readonly unconfirmed: number
  /** Recipients that were sent the message in the lost time, or failed then, as the send journal proves. */
  readonly sent: number
  readonly failed: number
}

/** Deliveries that one transaction ends, and workspaces that one statement returns. */
const unconfirmed_at_once = 5000
const workspaces_at_once = 1000

export class Restores extends Context.Service<
  Restores,
  {
    /**
     * Compares the epoch of the database with its copy in the blob store, and increments both. Every worker calls it before it
     * sends, then once a minute, and when it stops. After a restore it ends the messages of flows that may have been sent.
     */
    readonly beat: Effect.Effect<void, BlobUnavailable>
    /** Calls `beat` if the database is older than this process has seen it: it was replaced while the process ran. */
    readonly check: Effect.Effect<void, BlobUnavailable>
    /** Null: nothing waits. */
    readonly status: Effect.Effect<RestoreStatus | null>
    /** What the send journal proves of the lost time. Null: nothing waits. */
    readonly journal: Effect.Effect<JournalVerdict | null, BlobUnavailable>
    /** Releases what `includes` returns true for, and reports each. */
    readonly release: (includes: (id: string) => boolean) => Effect.Effect<ReadonlyArray<Released>, BlobUnavailable>
    /** Ends the restore if no blast and no flow waits. */
    readonly end: Effect.Effect<boolean>
  }
>()("tentpole/Restores") {
  static readonly layer = Layer.effect(
    Restores,
    Effect.gen(function* () {
      const store = yield* RestoreStore
      const blobs = yield* BlobStore
      const blasts = yield* BlastStore
      const audit = yield* AuditLog
      const { transact } = yield* Transactor
      const journal = yield* SendJournal
      const { read, replay } = yield* replaying
      /** The last increment of this process. */
      let seen = 0

      const readCopy = blobs.get(epoch_key).pipe(
        Stream.decodeText,
        Stream.mkString,
        Effect.flatMap((text) => Effect.orDie(Schema.decodeEffect(EpochCopy)(text))),
        Effect.map(({ counter }) => counter),
        Effect.catchTag("BlobNotFound", () => Effect.succeed(null)),
      )
      const writeCopy = (counter: number) =>
        blobs
          .put(epoch_key, Stream.succeed(encodeText(JSON.stringify({ counter }))), {
            contentType: "application/json",
            bytes_max: epoch_bytes_max,
          })
          .pipe(Effect.catchTag("BlobTooLarge", Effect.die))

      const workspaces = Effect.gen(function* () {
        const all: Array<WorkspaceId> = []
        for (;;) {
          const next = yield* store.workspaces(all.at(-1) ?? null, workspaces_at_once)
          all.push(...next)
          if (next.length < workspaces_at_once) return all
        }
      })

      /** Repeats a transaction that ends up to `unconfirmed_at_once` deliveries; `last` runs in the final one. */
      const unconfirmAll = <E, R>(
        unconfirm: ReturnType<RestoreStore["Service"]["unconfirm"]>,
        last: (unconfirmed: number) => Effect.Effect<unknown, E, R>,
      ) =>
        Effect.gen(function* () {
          let unconfirmed = 0
          for (;;) {
            const ended = yield* transact(
              Effect.tap(unconfirm, (count) => (count < unconfirmed_at_once ? last(unconfirmed + count) : Effect.void)),
            )
            unconfirmed += ended
            if (ended < unconfirmed_at_once) return unconfirmed
          }
        })

      const endFlowMessages = (restore: Restore) =>
        Effect.flatMap(
          workspaces,
          Effect.forEach(
            (workspace) =>
              unconfirmAll(
                store.unconfirmFlows(workspace, restore.flowsRepeatUntil, unconfirmed_at_once),
                () => Effect.void,
              ),
            { discard: true },
          ),
        )

      const status = Effect.gen(function* () {
        const restore = yield* store.restore
        if (restore === null) return null
        const found = yield* Effect.forEach(yield* workspaces, (workspace) =>
          Effect.map(store.restored(workspace), (its) => ({
            blasts: its.blasts.map((blast) => ({ ...blast, workspace })),
            flows: its.flows.map((flow) => ({ ...flow, workspace })),
          })),
        )
        return { ...restore, blasts: found.flatMap((each) => each.blasts), flows: found.flatMap((each) => each.flows) }
      })

      const releaseBlast = Effect.fnUntraced(function* (
        restore: Restore,
        recorded: ReadJournal,
        { workspace, ...blast }: RestoreStatus["blasts"][number],
      ) {
        const { id } = blast
        const none = { id, unconfirmed: 0, sent: 0, failed: 0 }
        const letGo = (unconfirmed: number) =>
          Effect.andThen(
            store.releaseBlast(workspace, id),
            audit.append([{ workspaceId: workspace, action: "blast.released", target: id, details: { unconfirmed } }]),
          )
        switch (decideRelease(blast, restore)) {
          case "wait":
            return { ...none, outcome: "waits" } as const
          case "unschedule": {
            const now = yield* DateTime.now
            yield* Effect.gen(function* () {
              yield* applyEvent(blasts, workspace, yield* blasts.lock(workspace, id), { _tag: "unschedule" }, now)
              yield* letGo(0)
            }).pipe(
              transact,
              // It has been unscheduled, launched or deleted meanwhile.
              Effect.catchTags({ InvalidState: () => Effect.void, NotFound: () => Effect.void }),
            )
            return { ...none, outcome: "unscheduled" } as const
          }
          case "unconfirm": {
            const proves = recorded.verdict === "complete"
            const { unknown, ...replayed } = proves
              ? yield* replay(restore, recorded, workspace, id)
              : { ...none, unknown: true }
            const rest = unknown ? store.unconfirm : store.unconfirmHandedOver
            const more = yield* unconfirmAll(rest(workspace, id, unconfirmed_at_once), (last) =>
              letGo(replayed.unconfirmed + last),
            )
            return { id, outcome: "released", ...replayed, unconfirmed: replayed.unconfirmed + more } as const
          }
          case "send":
            yield* transact(letGo(0))
            return { ...none, outcome: "released" } as const
        }
      })

      const releaseFlow = Effect.fnUntraced(function* (
        restore: Restore,
        { id, workspace }: RestoreStatus["flows"][number],
      ) {
        const none = { id, unconfirmed: 0, sent: 0, failed: 0 }
        if (!canReleaseFlows(restore, yield* DateTime.now)) return { ...none, outcome: "waits" } as const
        const unconfirmed = yield* unconfirmAll(
          store.unconfirmFlows(workspace, restore.flowsRepeatUntil, unconfirmed_at_once),
          () => Effect.void,
        )
        yield* transact(
          Effect.andThen(
            store.releaseFlow(workspace, id),
            audit.append([{ workspaceId: workspace, action: "flow.released", target: id, details: { unconfirmed } }]),
          ),
        )
        return { ...none, outcome: "released", unconfirmed } as const
      })

      const beat = Effect.gen(function* () {
        const copy = yield* readCopy
        const counter = yield* store.counter
        if (copy === null && counter > 0) {
          yield* Effect.logWarning("the blob store has no epoch: a restored database would not be recognised")
        }
        const known = Math.max(copy ?? 0, seen)
        const verdict = compareEpochs(counter, known)
        if (verdict === "new") yield* store.adopt(known)
        if (verdict === "restored") yield* store.markRestored(known)
        seen = yield* store.increment(journal.on)
        // Before the copy: every value up to the copy is in the journal.
        yield* journal.beat(seen)
        yield* writeCopy(seen)
        const restore = yield* store.restore
        if (restore === null) return
        yield* Effect.logWarning(
          "the database was restored from a backup: its blasts and flows wait for `tentpole restore release`",
        ).pipe(
          Effect.annotateLogs({
            restored_at: DateTime.formatIso(restore.at),
            backup_at: DateTime.formatIso(restore.backupAt),
          }),
        )
        yield* endFlowMessages(restore)
      })

      return Restores.of({
        beat,
        check: Effect.flatMap(store.counter, (counter) => (counter < seen ? beat : Effect.void)),
        status,
        journal: Effect.flatMap(store.restore, (restore) =>
          restore === null ? Effect.succeed(null) : Effect.map(read(restore), ({ verdict }) => verdict),
        ),
        release: Effect.fn("Restores.release")(function* (includes) {
          const found = yield* status
          if (found === null) return []
          const chosen = <A extends { readonly id: string }>(all: ReadonlyArray<A>) =>
            all.filter(({ id }) => includes(id))
          const recorded = yield* read(found)
          return [
            ...(yield* Effect.forEach(chosen(found.blasts), (blast) => releaseBlast(found, recorded, blast))),
            ...(yield* Effect.forEach(chosen(found.flows), (flow) => releaseFlow(found, flow))),
          ]
        }),
        end: Effect.gen(function* () {
          const found = yield* status
          if (found === null || found.blasts.length + found.flows.length > 0) return found === null
          for (const workspace of yield* workspaces) yield* transact(store.releaseIdle(workspace))
          yield* store.end
          return true
        }),
      })
    }),
  )
}
