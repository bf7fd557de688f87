// The evidence of consent: what was asked, what the person was shown, and when, where and how they answered. Append only.
import type { DateTime } from "effect"
import { Hex } from "effect/encoding"
import { encodeText } from "../kernel/Bytes.ts"
import type {
  ConsentRecordId,
  ContactId,
  DeliveryId,
  ImportRunId,
  SubmissionId,
  TentId,
  TopicId,
} from "../kernel/Ids.ts"

export const consentActions = [
  "requested",
  "confirmation_sent",
  "confirmed",
  "granted",
  "withdrawn",
  "expired",
  "imported",
] as const
export type ConsentAction = (typeof consentActions)[number]

export const consentSources = [
  "form",
  "api",
  "import",
  "preference_page",
  "unsubscribe_page",
  "one_click",
  "complaint",
  "admin",
] as const
export type ConsentSource = (typeof consentSources)[number]

/** What a person was shown and how they answered. */
export interface Evidence {
  readonly source: ConsentSource
  /** Words of the caller: `checkout`. */
  readonly sourceDetail: string | null
  /** What the person agreed to, as they were shown it. */
  readonly text: string | null
  /** `/24` of IPv4, `/48` of IPv6: a longer address is nowhere, not in memory either. */
  readonly ipPrefix: string | null
  readonly userAgent: string | null
  readonly tentId: TentId | null
  readonly formId: string | null
  readonly submissionId: SubmissionId | null
  readonly importRunId: ImportRunId | null
  readonly messageId: DeliveryId | null
  /** The visible part of the API key of the caller. */
  readonly keyPrefix: string | null
}

export interface ConsentRecord extends Evidence {
  readonly id: ConsentRecordId
  readonly contactId: ContactId
  /** Null: all marketing. */
  readonly topicId: TopicId | null
  readonly action: ConsentAction
  readonly at: DateTime.Utc
}

/** A record, with the SHA-256 of its text in hexadecimal digits. */
export interface HashedRecord extends ConsentRecord {
  readonly textSha256: string | null
}

export const hashRecord =
  (sha256: (bytes: Uint8Array) => Uint8Array) =>
  (record: ConsentRecord): HashedRecord => ({
    ...record,
    textSha256: record.text === null ? null : Hex.encode(sha256(encodeText(record.text))),
  })

/** Evidence of a source that has no more to say. */
export const evidenceOf = (source: ConsentSource, more: Partial<Evidence> = {}): Evidence => ({
  sourceDetail: null,
  text: null,
  ipPrefix: null,
  userAgent: null,
  tentId: null,
  formId: null,
  submissionId: null,
  importRunId: null,
  messageId: null,
  keyPrefix: null,
  ...more,
  source,
})
