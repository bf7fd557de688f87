// Versions of content in listings: who made them and how large they are, without the content.
import type { DateTime } from "effect"
import type { Cursor } from "../kernel/Page.ts"

export const contentMakers = ["upload", "generation", "template"] as const

/** Who made a version. */
export interface VersionAuthor {
  /** `template`: copied from an approved template. */
  readonly madeBy: (typeof contentMakers)[number]
  /** Name of the API key that stored or requested it. */
  readonly byName: string
}

export interface ContentVersion extends VersionAuthor {
  readonly version: number
  readonly size_bytes: number
  readonly createdAt: DateTime.Utc
}

/** The position of a version in a listing. */
export const versionCursor = ({ createdAt, version }: Pick<ContentVersion, "createdAt" | "version">): Cursor => ({
  at: createdAt.epochMilliseconds,
  id: String(version),
})

/** The id part of that position. */
export const versionId = /^[1-9]\d{0,8}$/
