// Ids for random requests: those of the fixtures, and those from responses.
import type { Draw } from "@tentpole/core/contract"
import { isObject } from "@tentpole/http/description/Json"
import { unknownId } from "../fixtures/World.ts"

/** The number of remembered ids of each kind. A new one replaces a random one. */
const kept_max = 20

const isId = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f-]{36}$/.test(value)

/** The kind of an id: `ContactId`, `contact_id` and `contactId` are ids of contacts. */
const kindOf = (name: string): string =>
  name
    .replaceAll("_", "")
    .replace(/id(s|OrAlias)?$/i, "")
    .toLowerCase()

const noIds = [
  "not-a-uuid",
  "",
  "0",
  "__proto__",
  "00000000-0000-0000-0000-000000000000",
  unknownId.toUpperCase(),
  "x".repeat(300),
]

export interface Ids {
  /** Remembers the ids in an estate or an answer. */
  readonly learn: (found: unknown) => void
  readonly drawn: (draw: Draw, name: string) => string
}

/** `theirs`: the ids of another workspace. */
export const idsOf = (theirs: ReadonlyArray<string>): Ids => {
  const known = new Map<string, Array<string>>()
  let learnt = 0

  const remember = (kind: string, id: string) => {
    const of = known.get(kind) ?? []
    if (!of.includes(id)) of[of.length < kept_max ? of.length : learnt++ % kept_max] = id
    known.set(kind, of)
  }

  const learn = (found: unknown): void => {
    if (Array.isArray(found)) return found.slice(0, 5).forEach(learn)
    if (!isObject(found)) return
    for (const [key, value] of Object.entries(found)) {
      if (isId(value)) remember(kindOf(key), value)
      else learn(value)
    }
  }

  return {
    learn,
    drawn: (draw, name) => {
      const turn = draw.below(100)
      const kind = kindOf(name)
      // A template id has its kind before its name.
      const own = known.get(kind) ?? [...known].find(([each]) => kind.endsWith(each))?.[1]
      if (turn < 75 && own !== undefined) return draw.of(own)
      if (turn < 83) return draw.of([...known.values()].flat())
      if (turn < 91) return draw.of(theirs)
      return turn < 95 ? unknownId : draw.of(noIds)
    },
  }
}
