// Bugs that must not go unnoticed, each as a change of the sources and what has to notice it. A suite that lets one of them
// through proves nothing.

export interface Patch {
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly put: string
}

/** A file of tests and a part of a test's name, or scenarios of a campaign: that of blasts, or another. */
export type Catcher =
  | { readonly tests: string; readonly named: string }
  | { readonly scenarios: string; readonly campaign?: "flows" }

export interface Bug {
  readonly name: string
  /** Changes that are no bug, without which this one would be held by something else. With them alone, all is well. */
  readonly beside?: ReadonlyArray<Patch>
  readonly patches: ReadonlyArray<Patch>
  readonly caughtBy: Catcher
}

const members = "packages/adapters/src/postgres/flows/MembershipWrites.ts"
const store = "packages/adapters/src/postgres/sending/DeliveryStore.ts"
const settle = "packages/adapters/src/postgres/sending/DeliverySettle.ts"
const blasts = "packages/adapters/src/postgres/migrations/0007_blasts.ts"
/** What an intent is, as it is defined last. */
const memberships = "packages/adapters/src/postgres/migrations/0030_memberships.ts"

/** Counts what a settlement changed in a transaction of its own, after the one that changed it. */
const countedAfterwards = `settle: (workspace, settlements) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            Effect.gen(function* () {
              yield* sql\`select set_config('tentpole.uncounted', 'yes', true)\`
              const missed = yield* settle(sql, workspace, settlements)
              const count = (state: string) => settlements.filter(({ ending }) => ending.state === state).length
              const [sent, failed] = [count("sent"), count("failed") + count("unconfirmed")]
              yield* sql.afterCommit(
                Effect.provideService(
                  within(
                    workspace,
                    sql\`update delivery_tally t set queued = queued - \${sent + failed}, sent = sent + \${sent}, failed = failed + \${failed}
                      where (workspace_id, blast_id, shard) = (
                        select workspace_id, blast_id, min(shard) from delivery_tally
                        where workspace_id = \${workspace} group by 1, 2 limit 1)\`,
                  ),
                  OpenTransaction,
                  undefined,
                ),
              )
              return missed
            }),
          ),
        ),`

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "the fence is dropped: a message goes out whatever its intent was answered",
    patches: [
      {
        file: "packages/worker/src/sender/SmtpWorker.ts",
        find: `if (leave !== "granted") {`,
        put: `if (leave === "cancelled") {`,
      },
    ],
    caughtBy: { tests: "packages/worker/test/sender/Sender.faults.test.ts", named: "at the gate before-intent" },
  },
  {
    name: "SKIP LOCKED is dropped",
    patches: [
      {
        file: "packages/adapters/src/postgres/sending/DeliveryClaim.ts",
        find: "limit greatest(1, ${limit} / b.blasts)\n        for update skip locked",
        put: "limit greatest(1, ${limit} / b.blasts)\n        for update",
      },
    ],
    caughtBy: {
      tests: "packages/adapters/test/sending/deliveries.postgres.test.ts",
      named: "a second claimer does not wait",
    },
  },
  {
    name: "a workspace predicate is dropped, as a role that no row-level security holds",
    beside: [
      {
        file: "packages/adapters/src/postgres/migrations/Migration.ts",
        find: "  `alter table ${table} enable row level security`,\n",
        put: "",
      },
    ],
    patches: [
      {
        file: store,
        find: "join delivery d on d.workspace_id = ${workspace} and d.delivery_id",
        put: "join delivery d on d.delivery_id",
      },
      {
        file: store,
        find: "set state = 'queued', token = null, lease_until = null, handed_over_at = null\n                from held\n                where d.workspace_id = ${workspace} and d.delivery_id",
        put: "set state = 'queued', token = null, lease_until = null, handed_over_at = null\n                from held\n                where d.delivery_id",
      },
    ],
    caughtBy: {
      tests: "packages/adapters/test/sending/deliveries.contract.test.ts",
      named: "another workspace sees nothing",
    },
  },
  {
    name: "a message in doubt is tried again",
    patches: [
      {
        file: "packages/core/src/sending/Settlement.ts",
        find: `case "inDoubt":\n          return plain({ state: "unconfirmed" })`,
        put: `case "inDoubt":\n          return again(attempts, "unreachable", "The connection broke")`,
      },
    ],
    caughtBy: { tests: "test/simulation/simulation.test.ts", named: "nobody is mailed twice" },
  },
  {
    name: "a settlement is written whoever holds the delivery",
    patches: [
      {
        file: settle,
        find: "and d.delivery_id = g.id and d.token = g.token\n    order by",
        put: "and d.delivery_id = g.id\n    order by",
      },
    ],
    caughtBy: {
      tests: "packages/adapters/test/sending/deliveries.contract.test.ts",
      named: "by another token it changes nothing",
    },
  },
  {
    name: "a counter is kept outside the transaction",
    patches: [
      {
        file: blasts,
        find: "referencing old table as removed new table as added\n     for each statement execute",
        put: "referencing old table as removed new table as added\n     for each statement when (coalesce(current_setting('tentpole.uncounted', true), '') = '') execute",
      },
      {
        file: store,
        find: "settle: (workspace, settlements) =>\n        Effect.andThen(Transaction, within(workspace, settle(sql, workspace, settlements))),",
        put: countedAfterwards,
      },
    ],
    caughtBy: { scenarios: "killed while the counters are written" },
  },
  {
    name: "an intent is committed asynchronously",
    patches: [
      {
        file: memberships,
        find: "if current_setting('synchronous_commit') in ('off', 'local') then",
        put: "if false then",
      },
    ],
    caughtBy: { tests: "packages/adapters/test/sending/deliveries.postgres.test.ts", named: "intents are durable" },
  },
  {
    name: "a GET unsubscribes",
    patches: [
      {
        file: "packages/http/src/tracking/Tracking.ts",
        find: `Effect.map(verbs.subscription(token), Answers.unsubscribePage)`,
        put: `Effect.map(verbs.unsubscribe(token), Answers.unsubscribedPage)`,
      },
    ],
    caughtBy: {
      tests: "packages/http/test/tracking/tracking.unsubscribe.test.ts",
      named: "a GET of the unsubscribe link",
    },
  },
  {
    name: "what is rendered is rendered again",
    patches: [
      {
        file: "packages/core/src/rendering/MergeTemplate.ts",
        find: "const text = resolveToken(token, values)",
        put: `const text = toTemplate(resolveToken(token, values), "plain")
    .map((piece) => (typeof piece === "string" || piece.kind !== "token" ? String(piece) : resolveToken(piece.token, values)))
    .join("")`,
      },
    ],
    caughtBy: { tests: "packages/core/test/rendering/Escapes.test.ts", named: "is no token, whatever it looks like" },
  },
  {
    name: "a member's step is written outside the transaction that writes its timeline and message",
    patches: [
      {
        file: members,
        find: "  yield* updateMembers(sql, ws, standing)\n",
        put: "  yield* sql.afterCommit(Effect.orDie(fenced(sql)(ws, updateMembers(sql, ws, standing))))\n",
      },
      {
        file: members,
        find: 'import { appendEvents } from "./Outbox.ts"\n',
        put: 'import { appendEvents } from "./Outbox.ts"\nimport { fenced } from "./Postgres.ts"\n',
      },
    ],
    caughtBy: { scenarios: "killed while a step is written, before it is", campaign: "flows" },
  },
]
