// A tent with its public address, as use cases return it.
import { Effect } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { Settings } from "../kernel/Settings.ts"
import { pageUrl } from "./pages/PageAddress.ts"
import type { Tent } from "./Tent.ts"
import type { TentStore } from "./TentStore.ts"

export interface TentView {
  readonly tent: Tent
  readonly url: string | null
}

/** Adds public addresses to tents. Reads the workspace's site only when one of the tents is published. */
export const tentViews = (settings: Settings["Service"], store: TentStore["Service"]) =>
  Effect.fnUntraced(function* (workspace: WorkspaceId, tents: ReadonlyArray<Tent>) {
    if (!tents.some(isPublished)) return tents.map((tent): TentView => ({ tent, url: null }))
    const site = yield* store.site(workspace)
    return tents.map((tent): TentView => {
      if (!isPublished(tent)) return { tent, url: null }
      const { id, alias } = tent
      return { tent, url: pageUrl(settings, site, alias === null ? { by: "id", id } : { by: "alias", alias }) }
    })
  })

const isPublished = ({ publication }: Tent): boolean => publication?.status === "published"
