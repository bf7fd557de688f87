// Tents for tests, created by the production moves and drawn at random.
import { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Alias, isAlias } from "@tentpole/core/tents/Alias"
import { TentChange } from "@tentpole/core/tents/machine"
import type { PublishContext, PublishFacts } from "@tentpole/core/tents/Publishing"
import type { Tent } from "@tentpole/core/tents/Tent"
import { DateTime } from "effect"

export const at = (ms: number) => DateTime.makeUnsafe(ms)

export const workspace = WorkspaceId.make("00000000-0000-4000-8000-0000000000ff")
export const id = TentId.make("3f0a1b52-9c1e-4d55-8a77-0123456789ab")

export const alias = (text: string): Alias => {
  if (!isAlias(text)) throw new Error(`${text} is no alias`)
  return text
}

export const there = <A>(value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error("nothing is there")
  return value
}

export const html = '<!doctype html>\n<html lang="en"><head><title>T</title></head><body><h1>Ö</h1></body></html>\n'

export const queued = (over: { readonly autoPublish?: boolean; readonly alias?: Alias } = {}): Tent =>
  there(
    TentChange.accept({
      idle: null,
      id,
      name: "a tent",
      createdByName: "a key",
      userId: null,
      request: {
        prompt: "p",
        includeBrand: false,
        template: null,
        assetIds: [],
        reasoning: null,
        variables: {},
        aliasTurn: 1,
        autoPublish: over.autoPublish ?? false,
      },
      requestedAlias: over.alias ?? null,
      now: at(1),
    }).after,
  )

export const generating = (over: Parameters<typeof queued>[0] = {}): Tent =>
  there(TentChange.begin(queued(over), at(2))?.after)

export const completion = (over: Parameters<typeof queued>[0] = {}): TentChange<Tent> =>
  there(TentChange.complete(generating(over), html, "sample", at(3)))

export const completed = (): Tent => there(completion().after)

export const facts = (over: Partial<PublishFacts> = {}): PublishFacts => ({
  plan: { publishedTents_max: null, brandingRemovable: true },
  others_published: 0,
  taken: new Set(),
  ...over,
})

export const context = (over: Partial<PublishFacts> = {}): PublishContext => ({
  facts: facts(over),
  html,
  etagOf: (text) => `etag-${text.length}-${text.includes("Made with Tentpole")}`,
  urlOf: (tent) => `https://pages.example.org/${tent.alias ?? `t/${tent.id}`}`,
  now: at(9),
})
