// The common parts of providers' calls: which message they are about, and how they report a bounce.
import { Option, Schema, SchemaGetter } from "effect"
import { type BounceKind, codeIn } from "../../sending/EnhancedCode.ts"
import { kindOf } from "../DeliveryStatus.ts"
import type { Links } from "../../rendering/Links.ts"
import { toPrintableLine } from "../../sending/Settlement.ts"
import { DeliveryId, type WorkspaceId } from "../../kernel/Ids.ts"
import type { BounceReport, ReportedFact } from "../Report.ts"

export const providers = ["ses", "sendgrid", "postmark", "mailgun"] as const
export type Provider = (typeof providers)[number]

export interface HookCall {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** How a provider identifies a message. The first reference that is ours counts. */
export interface MessageReference {
  /** The `Message-ID` of the sent message. */
  readonly messageId?: string | undefined
  /** The envelope sender. */
  readonly returnPath?: string | undefined
  /** Our metadata, where a provider returns it. */
  readonly deliveryId?: string | undefined
}

export interface ProviderEvent {
  readonly message: MessageReference
  readonly what: ReportedFact
}

/**
 * The reader of a provider's records. Empty when a record is irrelevant; undefined when the value is no record of this schema.
 */
export const eventReader = <Record>(
  schema: Schema.Codec<Record, unknown>,
  whatOf: (reported: Record) => ReportedFact | undefined,
  messageOf: (reported: Record) => MessageReference,
): ((value: unknown) => ReadonlyArray<ProviderEvent> | undefined) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (value) => {
    const reported = decode(value)
    if (Option.isNone(reported)) return undefined
    const what = whatOf(reported.value)
    return what === undefined ? [] : [{ message: messageOf(reported.value), what }]
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The delivery of a message, unless it belongs to another workspace. The store decides whether it exists. */
export const deliveryOf = (
  { deliveryId, messageId, returnPath }: MessageReference,
  workspace: WorkspaceId,
  links: Links["Service"],
): DeliveryId | undefined => {
  const target = links.readReturnPath(returnPath ?? "")
  if (Option.isSome(target)) return target.value.workspaceId === workspace ? target.value.deliveryId : undefined
  const named = [deliveryId ?? "", /^<?([^@<>]*)@/.exec(messageId ?? "")?.[1] ?? ""].find((id) => uuid.test(id))
  return named === undefined ? undefined : DeliveryId.make(named.toLowerCase())
}

/** A bounce as a provider reports it. Its verdict counts only if the server gave no meaningful code. */
export const bounced = (reported: {
  readonly status?: string | undefined
  readonly words?: string | undefined
  readonly hard: boolean
}): BounceReport => {
  const code = [reported.status, reported.words]
    .map((text) => codeIn(text ?? ""))
    .find((each) => each !== undefined && each.class !== 2 && each.subject !== 0)
  const kind: BounceKind = code === undefined ? (reported.hard ? "hard" : "soft") : kindOf(code)
  return { _tag: "bounced", kind, words: reported.words === undefined ? null : toPrintableLine(reported.words) }
}

/** A lenient field: providers leave it out, or send null. */
export const lenient = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Lenient text: a number is text, too. */
export const Text = Schema.Union([Schema.String, Schema.Number, Schema.Null]).pipe(
  Schema.decodeTo(Schema.UndefinedOr(Schema.String), {
    decode: SchemaGetter.transform((value: string | number | null) => (value === null ? undefined : String(value))),
    encode: SchemaGetter.transform((value: string | undefined) => value ?? null),
  }),
  Schema.optionalKey,
)
