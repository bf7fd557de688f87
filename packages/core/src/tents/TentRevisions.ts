// Revisions of a tent's page: the AI writes the next version from the current one and an instruction.
import { DateTime, Effect, Result } from "effect"
import { askAi, generationRunner } from "../documents/GenerationRunner.ts"
import type { GenerationId, TentId, WorkspaceId } from "../kernel/Ids.ts"
import { Ai } from "../ports/Ai.ts"
import { Parsers } from "../ports/Parsers.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { describedPictures, withDataParser, withoutPicturesParser } from "./assets/PagePictures.ts"
import { TentChange } from "./machine.ts"
import { finisher } from "./TentGeneration.ts"
import { TentStore } from "./TentStore.ts"

export const tentRevisions = Effect.gen(function* () {
  const store = yield* TentStore
  const { provider: generatedBy } = yield* Ai
  const write = yield* writer

  type Key = [workspace: WorkspaceId, id: TentId, of: GenerationId]
  return yield* generationRunner<Key, string, string>("TentVersions", {
    abandoned: "The revision failed repeatedly. Nothing was charged: try again with another instruction",
    begin: (...key) =>
      Effect.map(store.revision(...key), ({ prompt, status }) => (status === "generating" ? prompt : null)),
    write: (instruction, workspace, id) => write(workspace, id, instruction),
    settle: Effect.fnUntraced(function* (outcome, workspace, id, of) {
      const tent = yield* store.lock(workspace, id)
      const revision = yield* store.revision(workspace, id, of)
      const change = TentChange.settleRevision(tent, revision, outcome, { generatedBy, now: yield* DateTime.now })
      // Neither outcome takes credits or an alias.
      if (change !== null) yield* Effect.orDie(store.apply(workspace, change))
    }),
  })
})

/** The changed page, cleaned. Its pictures are not sent to the AI, and come back unchanged. */
const writer = Effect.gen(function* () {
  const store = yield* TentStore
  const workspaces = yield* WorkspaceStore
  const ai = yield* Ai
  const parsers = yield* Parsers
  const finished = yield* finisher

  return Effect.fnUntraced(function* (workspace: WorkspaceId, id: TentId, prompt: string) {
    const { name, request } = yield* store.get(workspace, id)
    const current = yield* store.content(workspace, id)
    if (current === null) return Result.fail("The tent has no page")
    const brand = request?.includeBrand === true ? (yield* workspaces.get(workspace)).brand : null
    // The page has passed the parsers' limits when it was stored.
    const { html: template, pictures } = yield* Effect.orDie(parsers.run(withoutPicturesParser, current, workspace))
    const assets = describedPictures(pictures)
    const reasoning = request?.reasoning ?? null
    const answer = yield* askAi(
      ai.generatePage(workspace, { prompt, name, brand, template, isRevision: true, assets, reasoning }),
    )
    if (Result.isFailure(answer)) return answer
    const withPictures = parsers.run(withDataParser, { html: answer.success, pictures }, workspace)
    return yield* finished(withPictures, template, workspace)
  })
})
