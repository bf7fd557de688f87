// The state machines of an import: a session is executed at most once, and its run completes or fails.
import { DateTime, type Duration, Result } from "effect"
import { type CustomField, FieldChange } from "../contacts/CustomField.ts"
import type { FieldDefinitionId, ImportRunId, ImportSessionId, ListId, WorkspaceId } from "../kernel/Ids.ts"
import { type Change, type ChangeEffects, changeOf } from "../kernel/changes/Change.ts"
import type { Transitions } from "../kernel/changes/Transitions.ts"
import { Invalid, InvalidState, type Issue, NotFound } from "../kernel/Refusal.ts"
import type { ConfirmationRefusal } from "../subscriptions/Subscribing.ts"
import type { Topic } from "../topics/Topic.ts"
import { TopicArchived, topicNotFound } from "../topics/TopicErrors.ts"
import {
  type DuplicateStrategy,
  type ImportConsent,
  type ImportRun,
  type ImportSession,
  type ImportSource,
  type ImportTarget,
  type InvalidCellPolicy,
  type StoredSuggestions,
  session_lifetime_ms,
  uploadKey,
} from "./Import.ts"
import type { SuppressionReason } from "../sending/Suppression.ts"
import { checkMappings, emailMapping, type WantedMapping } from "./mapping/Mapping.ts"
import { consentIssues, namedTopics } from "./mapping/TopicChecks.ts"
import { sanitizeCell } from "./Rows.ts"
import { reasonColumnsOf } from "./SuppressionRows.ts"

export interface Execution {
  readonly as: ImportTarget
  readonly suppressionReason: SuppressionReason | null
  /** Null: the column that is named as an email address. Only for suppressions. */
  readonly mappings: ReadonlyArray<WantedMapping> | null
  readonly duplicateStrategy: DuplicateStrategy
  readonly overwriteBlankOnly: boolean
  readonly onInvalidCell: InvalidCellPolicy
  readonly listIds: ReadonlyArray<ListId>
  readonly createdFieldDefinitionIds: ReadonlyArray<FieldDefinitionId>
  /** Null: only columns name topics, if any. */
  readonly consent: ImportConsent | null
}

export interface ExecutionFacts {
  readonly headers: ReadonlyArray<string>
  /** Every custom field of the workspace. */
  readonly fields: ReadonlyArray<CustomField>
  /** Those of the requested lists that exist. */
  readonly lists: ReadonlyArray<{ readonly id: ListId; readonly kind: "static" | "dynamic" | "system" }>
  /** Those of the named topics that exist. */
  readonly topics: ReadonlyArray<Topic>
  /** Why no confirmation mail can be sent. Null: one can be sent, or no person has to confirm. */
  readonly mailRefusal: ConfirmationRefusal | null
  readonly now: DateTime.Utc
}

/** The session and its upload addresses have expired by then, so its files can be deleted. */
const forgotten_after: Duration.Input = "26 hours"

type Of<State> = { readonly before: State | null; readonly after: State }

export const transitions = {
  queued: { start: "running", fail: "failed" },
  running: { complete: "completed", fail: "failed" },
  completed: {},
  failed: {},
} as const satisfies Transitions<ImportRun["status"], "start" | "complete" | "fail">

const accepts = (run: ImportRun, event: "start" | "complete" | "fail"): boolean => event in transitions[run.status]

export type ImportChange = Change<
  "import",
  {
    readonly session: Of<ImportSession> | null
    readonly run: Of<ImportRun> | null
    /** The custom fields that were created for this import, marked as such. */
    readonly fields: FieldChange | null
  }
>

const importChange = changeOf("import")

const changeTo = ({
  audit = [],
  events = [],
  jobs = [],
  ...its
}: Partial<Pick<ImportChange, "session" | "run" | "fields"> & ChangeEffects>): ImportChange =>
  importChange({ session: null, run: null, fields: null, ...its }, { audit, events, jobs })

/** The end of a run, with its event. */
const endOf = (before: ImportRun, after: ImportRun, at: DateTime.Utc): ImportChange => {
  const { counts, error, id } = after
  const data = {
    import_run_id: id,
    created_count: counts.created,
    updated_count: counts.updated,
    skipped_count: counts.skipped,
    error_count: counts.failed,
    ...(error === null ? {} : { error }),
  }
  const event = { type: error === null ? "import_completed" : "import_failed", contactId: null, at, data }
  return changeTo({ run: { before, after }, events: [event] })
}

/** The decisions about an import. Null: the event changes nothing. */
export const ImportChange = {
  begin(
    workspaceId: WorkspaceId,
    id: ImportSessionId,
    file: { readonly source: ImportSource; readonly fileName: string | null; readonly contentType: string },
    now: DateTime.Utc,
  ): ImportChange {
    const session: ImportSession = {
      ...file,
      id,
      blobKey: uploadKey(workspaceId, id),
      createdAt: now,
      expiresAt: DateTime.add(now, { milliseconds: session_lifetime_ms }),
      executedAt: null,
      suggestions: null,
    }
    return changeTo({
      session: { before: null, after: session },
      jobs: [
        {
          job: { type: "import_expiry", sessionId: id },
          id: `import_expiry:${id}`,
          delay: forgotten_after,
        },
      ],
    })
  },

  /** Stores the AI's answer, so that previews of the session agree. Null when this request has an answer. */
  storeSuggestions(session: ImportSession, suggestions: StoredSuggestions): ImportChange | null {
    if (session.suggestions?.key === suggestions.key) return null
    return changeTo({ session: { before: session, after: { ...session, suggestions } } })
  },

  /** An expired session does not exist for callers. A session is executed once. */
  mayExecute(session: ImportSession, now: DateTime.Utc): Result.Result<void, NotFound | InvalidState> {
    if (session.executedAt !== null) {
      return Result.fail(new InvalidState({ resource: "import session", status: "executed", move: "executed again" }))
    }
    return isExpired(session, now)
      ? Result.fail(new NotFound({ resource: "import session" }))
      : Result.succeed(undefined)
  },

  /** Executes a session. Reports every issue at once; an unknown id comes first, as `NotFound`. */
  execute(
    session: ImportSession,
    runId: ImportRunId,
    wanted: Execution,
    facts: ExecutionFacts,
  ): Result.Result<ImportChange, InvalidState | NotFound | TopicArchived | Invalid | ConfirmationRefusal> {
    const open = ImportChange.mayExecute(session, facts.now)
    if (Result.isFailure(open)) return Result.fail(open.failure)
    const missing = missingIds(wanted, facts)
    if (missing !== null) return Result.fail(missing)
    const archived = archivedTopic(wanted, facts)
    if (archived !== null) return Result.fail(archived)
    const mappings = checkMappings(wanted.mappings ?? emailMapping(facts.headers), facts.headers, facts.fields)
    const issues = [
      ...(Result.isFailure(mappings) && wanted.mappings !== null ? mappings.failure.issues : []),
      ...listIssues(wanted, facts),
      ...consentIssues(wanted, facts),
      ...(wanted.as === "suppressions" ? suppressionIssues(session, wanted, facts) : reasonIssues(wanted)),
    ]
    if (Result.isFailure(mappings) || issues.length > 0) return Result.fail(new Invalid({ issues }))
    if (facts.mailRefusal !== null) return Result.fail(facts.mailRefusal)
    const run: ImportRun = {
      id: runId,
      sessionId: session.id,
      status: "queued",
      headers: facts.headers.map(sanitizeCell),
      as: wanted.as,
      suppressionReason: wanted.suppressionReason,
      mappings: mappings.success,
      duplicateStrategy: wanted.duplicateStrategy,
      overwriteBlankOnly: wanted.overwriteBlankOnly,
      onInvalidCell: wanted.onInvalidCell,
      listIds: [...new Set(wanted.listIds)],
      consent: wanted.consent && { ...wanted.consent, topicIds: [...new Set(wanted.consent.topicIds)] },
      processedRows: 0,
      totalRows: null,
      counts: { created: 0, updated: 0, skipped: 0, failed: 0, warned: 0 },
      error: null,
      createdAt: facts.now,
      startedAt: null,
      completedAt: null,
    }
    const createdIds = new Set(wanted.createdFieldDefinitionIds)
    const fields = facts.fields.filter((field) => createdIds.has(field.id))
    return Result.succeed(
      changeTo({
        session: { before: session, after: { ...session, executedAt: facts.now } },
        run: { before: null, after: run },
        fields: fields.length === 0 ? null : FieldChange.recordImport(fields, session.id, facts.now),
        audit: [{ action: "import.started", target: runId, details: { as: wanted.as } }],
        jobs: [{ job: { type: "import_run", runId }, id: `import_run:${runId}` }],
      }),
    )
  },

  /** The file is counted, and the first chunk can be applied. Null when the run was started before. */
  start(run: ImportRun, totalRows: number, now: DateTime.Utc): ImportChange | null {
    if (!accepts(run, "start")) return null
    return changeTo({ run: { before: run, after: { ...run, status: "running", totalRows, startedAt: now } } })
  },

  /** Every row has its result. Null when rows are left, or the run has ended. */
  complete(run: ImportRun, now: DateTime.Utc): ImportChange | null {
    if (!accepts(run, "complete") || run.processedRows !== run.totalRows) return null
    return endOf(run, { ...run, status: "completed", completedAt: now }, now)
  },

  /** The run can't continue; applied rows stay. Null when the run has ended. */
  fail(run: ImportRun, error: string, now: DateTime.Utc): ImportChange | null {
    if (!accepts(run, "fail")) return null
    return endOf(run, { ...run, status: "failed", error, completedAt: now }, now)
  },
}

export const isExpired = (session: ImportSession, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, session.expiresAt)

const missingIds = (wanted: Execution, facts: ExecutionFacts): NotFound | null => {
  const lists = new Set(facts.lists.map(({ id }) => id))
  const list = wanted.listIds.findIndex((id) => !lists.has(id))
  if (list >= 0) return new NotFound({ resource: "contact list", path: `list_ids.${list}` })
  const fields = new Set(facts.fields.map(({ id }) => id))
  const field = wanted.createdFieldDefinitionIds.findIndex((id) => !fields.has(id))
  if (field >= 0) return new NotFound({ resource: "contact field", path: `created_field_definition_ids.${field}` })
  const topics = new Set(facts.topics.map(({ id }) => id))
  const topic = namedTopics(wanted).find(({ id }) => !topics.has(id))
  return topic === undefined ? null : topicNotFound().at(topic.path)
}

const archivedTopic = (wanted: Execution, facts: ExecutionFacts): TopicArchived | null => {
  const archived = new Set(facts.topics.flatMap(({ id, status }) => (status === "archived" ? [id] : [])))
  const topic = namedTopics(wanted).find(({ id }) => archived.has(id))
  return topic === undefined ? null : new TopicArchived({ path: topic.path })
}

const suppressionIssues = (
  { source }: ImportSession,
  wanted: Execution,
  { headers }: ExecutionFacts,
): ReadonlyArray<Issue> => {
  const column =
    wanted.mappings === null
      ? {
          found: emailMapping(headers).length > 0,
          path: source === "rows" ? "rows" : "csv",
          message: `must have ${emailColumn}`,
        }
      : {
          found: wanted.mappings.some(({ header, targetField }) => header !== null && targetField === "email"),
          path: "mappings",
          message: "must map a column to email: addresses are suppressed, not phones",
        }
  return [
    ...(column.found ? [] : [{ path: column.path, message: column.message }]),
    ...(wanted.listIds.length === 0
      ? []
      : [{ path: "list_ids", message: "can't be given with suppressions: no contact is created" }]),
    ...(wanted.suppressionReason !== null || reasonColumnsOf(headers).length > 0
      ? []
      : [{ path: "reason", message: "is required: no column of the file says why an address is suppressed" }]),
  ]
}

const reasonIssues = ({ suppressionReason }: Execution): ReadonlyArray<Issue> =>
  suppressionReason === null
    ? []
    : [{ path: "reason", message: "is for suppressions: add as: suppressions, or omit it" }]

const emailColumn = "a column of email addresses whose name says so, such as Email or Email Address"

const listIssues = (wanted: Execution, facts: ExecutionFacts): ReadonlyArray<Issue> => {
  const kinds = new Map(facts.lists.map(({ id, kind }) => [id, kind]))
  return wanted.listIds.flatMap((id, index) =>
    kinds.get(id) === "static"
      ? []
      : [{ path: `list_ids.${index}`, message: `must be a static list: this one is ${kinds.get(id) ?? "deleted"}` }],
  )
}
