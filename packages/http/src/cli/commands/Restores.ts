// The commands `tentpole restore …`: what waits after a restore from a backup, and its release.
import type { JournalVerdict } from "@tentpole/core/operations/restore/Proof"
import { type RestoreStatus, Restores } from "@tentpole/core/operations/restore/Restores"
import { Invalid } from "@tentpole/core/kernel/Refusal"
import { DateTime, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { command } from "../OverPorts.ts"
import { commandGroup } from "../Output.ts"
import { textOf } from "../Table.ts"

const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

const toWire = (
  { at, backupAt, blasts, flows, flowsRepeatUntil }: RestoreStatus,
  sendJournal: JournalVerdict | null,
) => ({
  restored_at: iso(at),
  backup_at: iso(backupAt),
  flows_repeat_until: iso(flowsRepeatUntil),
  send_journal: sendJournal,
  blasts: blasts.map(({ growing, id, launchedAt, name, open_count, scheduledAt, workspace }) => ({
    id,
    workspace_id: workspace,
    name,
    status: launchedAt === null ? "scheduled" : "sending",
    scheduled_at: iso(scheduledAt),
    recipients_complete: !growing,
    open_count,
  })),
  flows: flows.map(({ id, name, open_count, workspace }) => ({ id, workspace_id: workspace, name, open_count })),
})

const status = command(
  "status",
  "Shows the blasts and flows that wait after a restore from a backup",
  {},
  () =>
    Restores.use((restores) =>
      Effect.gen(function* () {
        const found = yield* restores.status
        return { restore: found === null ? null : toWire(found, yield* restores.journal) }
      }),
    ),
  ({ restore }) => (restore === null ? "Nothing waits: the database was not restored." : textOf(restore)),
)

const ids = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const idsIn = (text: Option.Option<string>): ReadonlyArray<string> =>
  Option.match(text, { onNone: () => [], onSome: (list) => list.split(",").map((id) => id.trim()) })

const release = command(
  "release",
  "Lets restored blasts and flows send again; recipients that may have the message become unconfirmed",
  {
    blasts: ids("blasts", "Ids of blasts, separated by commas"),
    flows: ids("flows", "Ids of flows, separated by commas"),
    all: Flag.Boolean("all").pipe(Flag.withDescription("Everything, and ends the restore"), Flag.withDefault(false)),
  },
  Effect.fnUntraced(function* ({ all, blasts, flows }) {
    const chosen = new Set([...idsIn(blasts), ...idsIn(flows)])
    if (!all && chosen.size === 0) return yield* Invalid.at("release", "needs --blasts, --flows or --all")
    const restores = yield* Restores
    const released = yield* restores.release((id) => all || chosen.has(id))
    for (const { id } of released) chosen.delete(id)
    const ended = all && (yield* restores.end)
    return { released, unknown: [...chosen], ended }
  }),
)

export const restore = commandGroup("restore", "After a restore from a backup: status, release", [status, release])
