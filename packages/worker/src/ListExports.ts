// The jobs of list exports: writing the file, and removing it with what is known of it.
import type { Job, JobAttempt } from "@tentpole/core/Jobs"
import { ListExports } from "@tentpole/core/lists/ListExports"
import { Effect } from "effect"
import { orGivenUp } from "./Attempts.ts"

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

const reason = "The export stopped again and again and was given up. Start another one"

export const listExport = ({ workspaceId, exportId }: Of<"list_export">, attempt: JobAttempt) =>
  Effect.flatMap(ListExports, (exports) =>
    orGivenUp(attempt, exports.run(workspaceId, exportId), exports.giveUp(workspaceId, exportId, reason)),
  )

export const listExportExpiry = ({ workspaceId, exportId }: Of<"list_export_expiry">) =>
  Effect.flatMap(ListExports, (exports) => exports.expire(workspaceId, exportId))
