// An import over HTTP: a workspace with the file's fields and a list, an upload, an execution, and the wait for its end.
import { openAsBlob } from "node:fs"
import type { Inside, OpenWorkspace } from "./Inside.ts"
import { peopleFields, peopleMappings } from "./PeopleFile.ts"
import { type Callable, type Json, until } from "./Service.ts"

export interface ImportingWorkspace extends OpenWorkspace {
  /** Imported contacts become members of it. */
  readonly listId: string
}

export const importingWorkspace = async (
  inside: Inside,
  service: Callable,
  name: string,
): Promise<ImportingWorkspace> => {
  const workspace = await inside.workspace(service, name)
  await workspace.call("POST", "/v1/contact-fields", { items: peopleFields })
  const list = await workspace.call("POST", "/v1/contact-lists", { name: "Imported", kind: "static" })
  return { ...workspace, listId: list.list_id }
}

/** Uploads the file and executes the import; returns the run's id. */
export const beginImport = async (workspace: ImportingWorkspace, path: string): Promise<string> => {
  const session = await workspace.call("POST", "/v1/contacts/imports", { source: "upload", file_name: "people.csv" })
  const body = await openAsBlob(path)
  const put = await fetch(session.upload_url, { method: "PUT", body, headers: { "content-type": "text/csv" } })
  if (!put.ok) throw new Error(`the upload answered ${put.status}: ${await put.text()}`)
  const execution = { mappings: peopleMappings, list_ids: [workspace.listId] }
  const executed = await workspace.call("POST", `/v1/contacts/imports/${session.import_session_id}/execute`, execution)
  return executed.import_run_id
}

/** Waits for the run's end; a failed run is an error. */
export const importEnded = (
  { call }: OpenWorkspace,
  runId: string,
  patience: { readonly within_ms: number; readonly every_ms: number },
): Promise<Json> =>
  until(
    "the import to end",
    async () => {
      const run = await call("GET", `/v1/contacts/imports/${runId}`)
      if (run.status === "failed") throw new Error(`the import failed: ${run.error}`)
      return run.status === "completed" && run
    },
    patience,
  )
