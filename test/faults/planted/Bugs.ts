// The table of planted bugs: what each changes in the sources, and which tests or scenarios must catch it. Files are named
// without their folders, so that a move breaks nothing.

export interface Patch {
  /** The source's name. It decides where several sources contain the text. */
  readonly file: string
  /** The source contains it exactly once. */
  readonly find: string
  readonly put: string
}

/** A test file and a part of a title, or scenarios of a campaign: of blasts, unless it names another. */
export type Catcher =
  | { readonly tests: string; readonly named: string }
  | { readonly scenarios: string; readonly campaign?: "flows" | "messages" | "webhooks" }

export interface Bug {
  readonly name: string
  /** Changes that are no bug, but switch off a second protection. With them alone the tests pass. */
  readonly beside?: ReadonlyArray<Patch>
  readonly patches: ReadonlyArray<Patch>
  readonly caughtBy: Catcher
}

/** Counts what a settlement changed in a transaction of its own, after the one that changed it. */
const countedAfterwards = `settle: (workspace, settlements) =>
        write(
          workspace,
          Effect.gen(function* () {
            const missed = yield* settle(sql, workspace, settlements)
            const count = (state: string) => settlements.filter(({ ending }) => ending.state === state).length
            const [sent, failed] = [count("sent"), count("failed") + count("unconfirmed")]
            yield* sql.afterCommit(
              Effect.orDie(sql.withTransaction(
                Effect.andThen(
                  sql\`select set_config('tentpole.workspace_id', \${workspace}, true)\`,
                  sql\`update delivery_tally t set queued = queued - \${sent + failed}, sent = sent + \${sent}, failed = failed + \${failed}
                    where (workspace_id, blast_id, shard) = (
                      select workspace_id, blast_id, min(shard) from delivery_tally
                      where workspace_id = \${workspace} group by 1, 2 limit 1)\`,
                ),
              )),
            )
            return missed
          }),
        ),`

/** Writes the members in a transaction of its own, after the one that wrote their timelines and messages. */
const updatedAfterwards = `  yield* sql.afterCommit(
    Effect.orDie(
      sql.withTransaction(
        Effect.andThen(
          sql\`select set_config('tentpole.workspace_id', \${workspace}, true)\`,
          updateMembers(sql, workspace, applied),
        ),
      ),
    ),
  )\n`

/** Writes the message in a transaction of its own, after the one that wrote its key. */
const writtenAfterwards = `  if (messages.length === 0) return answers
  if (requests.some(({ key }) => key !== null)) {
    const fresh = requests.filter((_, place) => answers[place] === null).map((request) => ({ ...request, key: null }))
    yield* sql.afterCommit(
      Effect.orDie(
        sql.withTransaction(
          Effect.andThen(
            sql\`select set_config('tentpole.workspace_id', \${workspace}, true)\`,
            accept(sql, workspace, fresh),
          ),
        ),
      ),
    )
    return answers
  }\n`

/** Moves the positions of the endpoints in a transaction of its own, before the one that adds the deliveries. */
const movedBefore = `yield* transact(queue.fanOut(lease, { deliveries: [], positions }))
    const ours = yield* transact(queue.fanOut(lease, { deliveries, positions, claimed }))`

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "the fence is dropped: a message goes out without a granted intent",
    patches: [
      {
        file: "SmtpWorker.ts",
        find: `if (leave !== "granted") {`,
        put: `if (leave === "cancelled") {`,
      },
    ],
    caughtBy: { tests: "Sender.faults.test.ts", named: "a crash or stop at the gate" },
  },
  {
    name: "SKIP LOCKED is dropped",
    patches: [
      {
        file: "DeliveryClaim.ts",
        find: "limit greatest(1, ${limit} / b.blasts)\n        for update skip locked",
        put: "limit greatest(1, ${limit} / b.blasts)\n        for update",
      },
    ],
    caughtBy: { tests: "sending.postgres.test.ts", named: "a second claimer does not wait" },
  },
  {
    name: "a workspace predicate is dropped, for a role without row-level security",
    beside: [
      {
        file: "access.sql",
        find: "    execute format('alter table %s enable row level security', tenant);\n",
        put: "",
      },
    ],
    patches: [
      {
        file: "DeliveryStore.ts",
        find: "join delivery_queue q on q.workspace_id = ${workspace} and q.delivery_id",
        put: "join delivery_queue q on q.delivery_id",
      },
      {
        file: "DeliveryStore.ts",
        find: "set state = 'queued', token = null, lease_until = null, handed_over_at = null\n    from locked\n    where q.workspace_id = ${workspace} and q.delivery_id",
        put: "set state = 'queued', token = null, lease_until = null, handed_over_at = null\n    from locked\n    where q.delivery_id",
      },
    ],
    caughtBy: {
      tests: "deliveries.contract.test.ts",
      named: "neither shows nor changes deliveries of another workspace",
    },
  },
  {
    name: "an unconfirmed message is sent again",
    patches: [
      {
        file: "Settlement.ts",
        find: `case "inDoubt":\n          return plain({ state: "unconfirmed" })`,
        put: `case "inDoubt":\n          return again(pause_s, "unreachable", "The connection broke")`,
      },
    ],
    caughtBy: { tests: "simulation.test.ts", named: "sends no recipient two messages" },
  },
  {
    name: "a settlement is written without the token of its claim",
    patches: [
      {
        file: "DeliverySettle.ts",
        find: "and q.delivery_id = g.id and q.token = g.token\n      and (q.state",
        put: "and q.delivery_id = g.id\n      and (q.state",
      },
      {
        file: "DeliverySettle.ts",
        find: "where d.state = 'unconfirmed' and d.token = g.token and",
        put: "where d.state = 'unconfirmed' and",
      },
    ],
    caughtBy: {
      tests: "deliveries.contract.test.ts",
      named: "with the same token and ignores another token",
    },
  },
  {
    name: "a counter is written outside the transaction",
    patches: [
      {
        file: "DeliverySettle.ts",
        find: "  ${yield* countChange(sql, workspace, change)},\n",
        put: "",
      },
      {
        file: "DeliveryStore.ts",
        find: "settle: (workspace, settlements) => keyedWrites(sql)(workspace, settle(sql, workspace, settlements)),",
        put: countedAfterwards,
      },
    ],
    caughtBy: { scenarios: "killed while the counters are written" },
  },
  {
    name: "an intent is committed asynchronously",
    patches: [
      {
        file: "sending.sql",
        find: "if current_setting('synchronous_commit') in ('off', 'local') then",
        put: "if false then",
      },
    ],
    caughtBy: { tests: "sending.postgres.test.ts", named: "intents are durable" },
  },
  {
    name: "a GET unsubscribes",
    patches: [
      {
        file: "Tracking.ts",
        find: "Effect.map(verbs.subscription(token), (subscription) => Answers.unsubscribePage(",
        put: 'Effect.map(verbs.unsubscribe(token, "all", evidenceOf(request)), (subscription) => Answers.unsubscribedPage(',
      },
    ],
    caughtBy: { tests: "tracking.unsubscribe.test.ts", named: "a GET of the unsubscribe link" },
  },
  {
    name: "rendered text is rendered again",
    patches: [
      {
        file: "Template.ts",
        find: "const text = resolveToken(token, values)",
        put: `const text = toTemplate(resolveToken(token, values), "plain")
    .map((piece) => (typeof piece === "string" || piece.kind !== "token" ? String(piece) : resolveToken(piece.token, values)))
    .join("")`,
      },
    ],
    caughtBy: { tests: "Escapes.test.ts", named: "is never read as a token" },
  },
  {
    name: "a member's step is written outside the transaction that writes its timeline and message",
    patches: [
      {
        file: "MembershipWrites.ts",
        find: "  yield* updateMembers(sql, workspace, applied)\n",
        put: updatedAfterwards,
      },
    ],
    caughtBy: { scenarios: "killed while a step is written, before it is", campaign: "flows" },
  },
  {
    name: "a single message is sent again after a kill",
    patches: [
      {
        file: "DeliveryStore.ts",
        find: "set state = 'queued', token = null, lease_until = null\n        where q.workspace_id = ${workspace}\n          and q.delivery_id = any(array(select delivery_id from lapsed where state = 'claimed'))",
        put: "set state = 'queued', token = null, lease_until = null, handed_over_at = null\n        where q.workspace_id = ${workspace}\n          and q.delivery_id = any(array(select delivery_id from lapsed))",
      },
      {
        file: "DeliveryStore.ts",
        find: "from lapsed where state = 'handed_over'",
        put: "from lapsed where false",
      },
    ],
    caughtBy: { scenarios: "killed at the gate before-settle", campaign: "messages" },
  },
  {
    name: "a single message is written after the transaction of its key: a kill between them loses it",
    patches: [
      {
        file: "MessageAcceptance.ts",
        find: "  if (messages.length === 0) return answers\n",
        put: writtenAfterwards,
      },
    ],
    caughtBy: { scenarios: "a process that accepts messages is killed", campaign: "messages" },
  },
  {
    name: "the content of a single message is deleted when it has ended, although it is to be retained",
    patches: [{ file: "PassingContent.ts", find: '"uuid", ended)} and not retained', put: '"uuid", ended)}' }],
    caughtBy: {
      tests: "messages.contract.test.ts",
      named: "deletes content that is not to be retained with the end of its message",
    },
  },
  {
    name: "the position of a webhook endpoint is committed before its deliveries: a kill between them loses these",
    beside: [
      {
        file: "WebhookQueue.ts",
        find: "where reader.endpoint_id = g.endpoint_id and reader.position < (g.positions::bigint[])[1])",
        put: "where reader.endpoint_id = g.endpoint_id)",
      },
    ],
    patches: [
      {
        file: "Receivers.ts",
        find: "const ours = yield* transact(queue.fanOut(lease, { deliveries, positions, claimed }))",
        put: movedBefore,
      },
    ],
    caughtBy: { scenarios: "the position of new events", campaign: "webhooks" },
  },
  {
    name: "the body of a webhook is serialised again for a retry",
    patches: [
      {
        file: "FanOut.ts",
        find: "if (delivery.eventType !== batch_type) return first.json",
        put: `if (delivery.eventType !== batch_type) {
    return delivery.attemptCount === 0 ? first.json : JSON.stringify(JSON.parse(first.json), null, 1)
  }`,
      },
    ],
    caughtBy: { scenarios: "receivers that refuse", campaign: "webhooks" },
  },
  {
    name: "a claim of webhook deliveries is written without the lease",
    patches: [
      {
        file: "WebhookQueue.ts",
        find: 'and exists (select from held) and ${sql.literal(testsOnly ? "d.is_test" : "true")}',
        put: 'and ${sql.literal(testsOnly ? "d.is_test" : "true")}',
      },
    ],
    caughtBy: { tests: "webhookQueue.contract.test.ts", named: "a worker without it writes nothing" },
  },
]
