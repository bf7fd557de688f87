// Pagination: by page number and limit, and by opaque cursor.
import { Effect, Result } from "effect"
import { refusalClass } from "./Refusal.ts"
import { Base64Url } from "effect/encoding"

export const page_limit_max = 100
export const page_limit_default = 25

export interface PageRequest {
  /** Counted from 1. */
  readonly page: number
  /** 1 to 100. */
  readonly limit: number
}

/** One page of a listing and the total number of its items. */
export interface Paged<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** An empty listing has 0 pages. */
export const pagination = ({ page, limit }: PageRequest, total: number) => ({
  page,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
})

/** Position of a listing by cursor: after the entry created at `at` (epoch milliseconds) with this id. */
export interface Cursor {
  readonly at: number
  readonly id: string
}

/** A slice of a listing by cursor; `next` is the cursor of the following slice. */
export interface Sliced<A> {
  readonly items: ReadonlyArray<A>
  readonly next: Cursor | null
}

/** The slice of rows that were read with one more than `limit`. */
export const sliced = <A>(rows: ReadonlyArray<A>, limit: number, cursorOf: (item: A) => Cursor): Sliced<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}

export class BrokenCursor extends refusalClass<BrokenCursor>()("BrokenCursor", {
  code: "invalid_cursor",
  message: () => "The cursor does not belong to this listing. Omit it to start at the first page",
}) {}

export const encodeCursor = ({ at, id }: Cursor): string => Base64Url.encode(`${at}.${id}`)

/** Instants outside this range are written with a sign, which stores do not read. */
const year_1_ms = -62_135_596_800_000
const year_9999_ms = 253_402_300_799_999

/** The id part of a cursor: an entry's id, or a text that identifies it, such as an address. */
export const uuidId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const textId = /^[^\p{Cc}]{1,320}$/u

export const decodeCursor = (text: string, id: RegExp = uuidId): Result.Result<Cursor, BrokenCursor> => {
  const decoded = Result.getOrElse(Base64Url.decodeString(text), () => "")
  const [, instant, name = ""] = /^(-?\d{1,15})\.(.*)$/s.exec(decoded) ?? []
  const at = Number(instant)
  return at >= year_1_ms && at <= year_9999_ms && id.test(name)
    ? Result.succeed({ at, id: name })
    : Result.fail(new BrokenCursor())
}

/** A slice of a listing, newest first, ties by id. */
export interface SliceQuery {
  readonly after: Cursor | null
  readonly limit: number
}

/** The cursor and limit of a listing. */
export interface ListedBy {
  readonly cursor?: string
  readonly limit?: number
}

/** A slice, with the encoded cursor of the next one. */
export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

export const listed = <A>({ items, next }: Sliced<A>): Listed<A> => ({
  items,
  next: next === null ? null : encodeCursor(next),
})

/** The query of a listing; refused if the cursor is broken. */
export const sliceOf = Effect.fnUntraced(function* ({ cursor, limit }: ListedBy, id: RegExp = uuidId) {
  const after = cursor === undefined ? null : yield* Effect.fromResult(decodeCursor(cursor, id))
  return { after, limit: limit ?? page_limit_default } satisfies SliceQuery
})
