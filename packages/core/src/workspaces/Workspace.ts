// A workspace: one tenant, with its plan, credits, brand and sending settings.
import { DateTime, Option, Result, Schema, SchemaIssue, Struct } from "effect"
import { FromName, SenderAddress } from "./Sender.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import { type EmailId, WorkspaceId } from "../kernel/Ids.ts"
import { existing, Invalid, type Issue, refusalClass } from "../kernel/Refusal.ts"
import type { Brand } from "../ports/Ai.ts"
import { toDomain } from "../kernel/values/DomainName.ts"
import { isBlank, slugify } from "../kernel/Text.ts"

/** The limits of a plan; null: no limit. Plans are rows of a table. */
export interface Plan {
  readonly plan: PlanName
  readonly publishedTents_max: number | null
  readonly emailsPerDay_max: number | null
  readonly contacts_max: number | null
  readonly recipientsPerBlast_max: number | null
  readonly flows: boolean
  readonly brandingRemovable: boolean
}

export const planNames = ["free", "pro", "max"] as const
export type PlanName = (typeof planNames)[number]

const unlimited: Omit<Plan, "plan"> = {
  publishedTents_max: null,
  emailsPerDay_max: null,
  contacts_max: null,
  recipientsPerBlast_max: null,
  flows: true,
  brandingRemovable: true,
}

export const plans: { readonly [Name in PlanName]: Plan } = {
  free: {
    plan: "free",
    publishedTents_max: 1,
    emailsPerDay_max: 100,
    contacts_max: 1000,
    recipientsPerBlast_max: null,
    flows: false,
    brandingRemovable: false,
  },
  pro: { ...unlimited, plan: "pro", publishedTents_max: 100 },
  max: { ...unlimited, plan: "max" },
}

export interface SenderDefaults {
  readonly fromName: string | null
  readonly fromAddress: string | null
  readonly replyToEmail: string | null
}

export type { Brand as WorkspaceBrand } from "../ports/Ai.ts"

export const noBrand: Brand = {
  logoUrl: null,
  iconUrl: null,
  primaryColor: null,
  name: null,
  domain: null,
  description: null,
  guidelines: null,
}

/** The name that visitors and recipients see: the brand's. Null without one, because the workspace's name is internal. */
export const publicNameOf = ({ name }: Pick<Brand, "name">): string | null => (isBlank(name ?? "") ? null : name)

/** The value of `{{workspace.name}}`: the public name, else the workspace's. */
export const nameTokenOf = ({ brand, name }: { readonly name: string; readonly brand: Pick<Brand, "name"> }): string =>
  publicNameOf(brand) ?? name

export const marketingConsents = ["assumed", "required"] as const
export const confirmation_days_max = 30
export const confirmations_per_hour_max = 100_000
export const oneClickScopes = ["topic", "all"] as const

/** How a workspace handles consent. */
export interface ConsentSettings {
  /**
   * `assumed`: marketing goes to who has not objected. `required`: it goes to who has `marketing_email_subscribed`, or has subscribed
   * to the topic.
   */
  readonly marketingConsent: (typeof marketingConsents)[number]
  /** How long a subscription request can be confirmed: 1 to 30 days. */
  readonly confirmation_days: number
  /** The email that asks for the confirmation; null: the built-in one. */
  readonly confirmationEmailId: EmailId | null
  /** Unconfirmed requests in an hour, 1 to 100,000. */
  readonly confirmationsPerHour: number
  readonly privacyUrl: string | null
  /** What the one click of mail programs ends (RFC 8058): the topic of the message, or all marketing. */
  readonly oneClick: (typeof oneClickScopes)[number]
}

export const defaultConsent: ConsentSettings = {
  marketingConsent: "assumed",
  confirmation_days: 7,
  confirmationEmailId: null,
  confirmationsPerHour: 1000,
  privacyUrl: null,
  oneClick: "topic",
}

export interface Workspace {
  readonly id: WorkspaceId
  readonly name: string
  /** The label of its pages' host, `<slug>.<PAGES_HOST>`. */
  readonly slug: string
  readonly plan: PlanName
  readonly credits: number
  /** A name of the IANA time zone database. */
  readonly timeZone: string
  /** ISO 3166 alpha-2. The country of phone numbers without country code. */
  readonly defaultCountry: string
  readonly postalAddress: string | null
  readonly senderDefaults: SenderDefaults
  readonly brand: Brand
  readonly consent: ConsentSettings
  readonly sendingPerSecond: number | null
  readonly sendingPerDomainPerSecond: number | null
  /** Who edited an email last can't approve it, and who approved it can't send it. */
  readonly fourEyes: boolean
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** Input of `create` and `update`. */
export interface WorkspaceFields extends Partial<
  Omit<Workspace, "id" | "senderDefaults" | "brand" | "consent" | "createdAt" | "updatedAt">
> {
  readonly senderDefaults?: Partial<SenderDefaults>
  readonly brand?: Partial<Brand>
  readonly consent?: Partial<ConsentSettings>
}

export class SlugTaken extends refusalClass<SlugTaken>()("SlugTaken", {
  code: "conflict",
  fields: { slug: Schema.String, existingId: Schema.NullOr(WorkspaceId) },
  message: ({ slug }) => `Another workspace has the slug "${slug}". Choose another one`,
  details: existing,
}) {}

export class InsufficientCredits extends refusalClass<InsufficientCredits>()("InsufficientCredits", {
  code: "insufficient_credits",
  fields: { needed: Schema.Int, left: Schema.Int },
  message: ({ left, needed }) =>
    `The request needs ${needed} credit${needed === 1 ? "" : "s"}, but the workspace has ${left}. Add credits and try again`,
  extras: ({ left, needed }) => ({ limit: left, current: needed }),
}) {}

const slugPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const postal_address_length_max = 500

const messageOf = SchemaIssue.makeFormatterStandardSchemaV1()
const asFromName = Schema.decodeUnknownResult(FromName)
const asAddress = Schema.decodeUnknownResult(SenderAddress)

/** Sender defaults have the same limits as the sender of an email. */
const senderIssues = ({ fromAddress, fromName, replyToEmail }: Partial<SenderDefaults>): ReadonlyArray<Issue> =>
  (
    [
      ["from_name", fromName, asFromName],
      ["from_address", fromAddress, asAddress],
      ["reply_to_email", replyToEmail, asAddress],
    ] as const
  ).flatMap(([name, value, decode]) => {
    if (value === undefined || value === null) return []
    const decoded = decode(value)
    if (Result.isSuccess(decoded)) return []
    return messageOf(decoded.failure.issue).issues.map(({ message }) => ({ path: `sender_defaults.${name}`, message }))
  })

/** Only characters of host names in the host: it becomes part of a header of pages. */
const isWebUrl = (text: string): boolean =>
  text.length <= 2000 && /^https?:\/\/[\p{L}\p{M}\p{N}.:\-[\]]+(?:[/?#][^\s"'<>]*)?$/iu.test(text)

const brandRules: {
  readonly [Field in keyof Brand]: readonly [name: string, holds: (text: string) => boolean, message: string]
} = {
  logoUrl: ["logo_url", isWebUrl, "must be an http or https URL, at most 2000 characters"],
  iconUrl: ["icon_url", isWebUrl, "must be an http or https URL, at most 2000 characters"],
  primaryColor: ["primary_color", (text) => /^#[0-9a-f]{6}$/i.test(text), "must be a colour, such as #1a73e8"],
  name: ["name", (text) => text.length <= 200, "must have at most 200 characters"],
  domain: ["domain", (text) => toDomain(text) !== null, "must be a domain name, such as example.com"],
  description: ["description", (text) => text.length <= 2000, "must have at most 2000 characters"],
  guidelines: ["guidelines", (text) => text.length <= 10_000, "must have at most 10000 characters"],
}

const brandIssues = (brand: Partial<Brand>): ReadonlyArray<Issue> =>
  Struct.keys(brandRules).flatMap((field) => {
    const [name, holds, message] = brandRules[field]
    const value = brand[field] ?? null
    return value === null || holds(value) ? [] : [{ path: `brand.${name}`, message }]
  })

/** `privacy_url` is a link on pages and in mails. */
const consentIssues = (consent: Partial<ConsentSettings>): ReadonlyArray<Issue> => {
  const { confirmation_days = 7, confirmationsPerHour = 1000, privacyUrl = null } = consent
  const issues: Array<Issue> = []
  const demand = (holds: boolean, name: string, message: string) => {
    if (!holds) issues.push({ path: `consent.${name}`, message })
  }
  const isWhole = (value: number, max: number) => Number.isSafeInteger(value) && value >= 1 && value <= max
  demand(
    isWhole(confirmation_days, confirmation_days_max),
    "confirmation_days",
    `must be a whole number from 1 to ${confirmation_days_max}`,
  )
  demand(
    isWhole(confirmationsPerHour, confirmations_per_hour_max),
    "confirmations_per_hour",
    `must be a whole number from 1 to ${confirmations_per_hour_max}`,
  )
  demand(
    privacyUrl === null || (privacyUrl.startsWith("https://") && isWebUrl(privacyUrl)),
    "privacy_url",
    "must be an https URL, at most 2000 characters",
  )
  return issues
}

const check = (fields: WorkspaceFields): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  const demand = (holds: boolean, path: string, message: string) => {
    if (!holds) issues.push({ path, message })
  }
  const { name, slug, credits, defaultCountry, sendingPerSecond, sendingPerDomainPerSecond } = fields
  demand(name === undefined || (name.trim() !== "" && name.length <= 200), "name", "must have 1 to 200 characters")
  demand(
    slug === undefined || slugPattern.test(slug),
    "slug",
    "must be 1 to 63 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen",
  )
  demand(
    credits === undefined || (Number.isSafeInteger(credits) && credits >= 0 && credits <= 2_000_000_000),
    "credits",
    "must be a whole number from 0 to 2000000000",
  )
  demand(
    defaultCountry === undefined || /^[A-Z]{2}$/.test(defaultCountry),
    "default_country",
    "must be two capital letters, such as US or DE",
  )
  demand(
    fields.timeZone === undefined || Option.isSome(DateTime.zoneMakeNamed(fields.timeZone)),
    "time_zone",
    "must be a time zone of the IANA database, such as Europe/Zurich or UTC",
  )
  demand(
    (fields.postalAddress?.length ?? 0) <= postal_address_length_max,
    "postal_address",
    `must have at most ${postal_address_length_max} characters`,
  )
  issues.push(
    ...senderIssues(fields.senderDefaults ?? {}),
    ...brandIssues(fields.brand ?? {}),
    ...consentIssues(fields.consent ?? {}),
  )
  for (const [path, speed] of [
    ["sending_limits.per_second", sendingPerSecond],
    ["sending_limits.per_domain_per_second", sendingPerDomainPerSecond],
  ] as const) {
    demand(
      speed === undefined || speed === null || (Number.isSafeInteger(speed) && speed >= 1 && speed <= 1_000_000),
      path,
      "must be a whole number from 1 to 1000000, or null for no limit",
    )
  }
  return issues
}

/** A change of a workspace. Null: it is new. */
export type WorkspaceChange = Change<"workspace", { readonly before: Workspace | null; readonly after: Workspace }>

const workspaceChange = changeOf("workspace")

const changed = (
  before: Workspace | null,
  on: Workspace,
  fields: WorkspaceFields,
  now: DateTime.Utc,
): Result.Result<WorkspaceChange, Invalid> => {
  const issues = check(fields)
  if (issues.length > 0) return Result.fail(new Invalid({ issues }))
  const after: Workspace = {
    ...on,
    ...fields,
    senderDefaults: { ...on.senderDefaults, ...fields.senderDefaults },
    brand: { ...on.brand, ...fields.brand },
    consent: { ...on.consent, ...fields.consent },
    updatedAt: now,
  }
  return Result.succeed(workspaceChange({ before, after }))
}

export const WorkspaceChange = {
  create(id: WorkspaceId, fields: WorkspaceFields & { readonly name: string }, now: DateTime.Utc) {
    const slug = fields.slug ?? (slugify(fields.name, 63) || `workspace-${id.slice(0, 8)}`)
    const blank: Workspace = {
      id,
      name: fields.name,
      slug,
      plan: "free",
      credits: 0,
      timeZone: "UTC",
      defaultCountry: "US",
      postalAddress: null,
      senderDefaults: { fromName: null, fromAddress: null, replyToEmail: null },
      brand: noBrand,
      consent: defaultConsent,
      sendingPerSecond: null,
      sendingPerDomainPerSecond: null,
      fourEyes: false,
      createdAt: now,
      updatedAt: now,
    }
    return changed(null, blank, { ...fields, slug }, now)
  },

  update: (before: Workspace, fields: WorkspaceFields, now: DateTime.Utc) => changed(before, before, fields, now),
}
