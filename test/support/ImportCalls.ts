// An import over HTTP: a workspace with the file's fields and a list, an upload, an execution, and the wait for its end.
import { openAsBlob } from "node:fs"
import type { Inside, OpenWorkspace } from "./Inside.ts"
import { peopleFields, peopleMappings } from "./PeopleFile.ts"
import { type Call, type Callable, type Json, until } from "./Service.ts"

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

/** Uploads a file; returns the path of its session. */
const uploaded = async (call: Call, file_name: string, body: Blob | string): Promise<string> => {
  const session = await call("POST", "/v1/contacts/imports", { source: "upload", file_name })
  const put = await fetch(session.upload_url, { method: "PUT", body, headers: { "content-type": "text/csv" } })
  if (!put.ok) throw new Error(`the upload answered ${put.status}: ${await put.text()}`)
  return `/v1/contacts/imports/${session.import_session_id}`
}

/** Uploads the file and executes the import; returns the run's id. */
export const beginImport = async ({ call, listId }: ImportingWorkspace, path: string): Promise<string> => {
  const at = await uploaded(call, "people.csv", await openAsBlob(path))
  const executed = await call("POST", `${at}/execute`, { mappings: peopleMappings, list_ids: [listId] })
  return executed.import_run_id
}

/** Waits for the run's end; a failed run is an error. */
export const importEnded = (
  { call }: Pick<OpenWorkspace, "call">,
  runId: string,
  patience: { readonly within_ms?: number; readonly every_ms?: number } = {},
  look: (run: Json) => void = () => undefined,
): Promise<Json> =>
  until(
    "the import to end",
    async () => {
      const run = await call("GET", `/v1/contacts/imports/${runId}`)
      look(run)
      if (run.status === "failed") throw new Error(`the import failed: ${run.error}`)
      return run.status === "completed" && run
    },
    patience,
  )

/** Imports a file with the mappings that the preview proposes. */
export const importProposed = async (
  call: Call,
  file: { readonly name: string; readonly text: string },
  look?: (run: Json) => void,
): Promise<{ readonly targets: ReadonlyArray<string>; readonly run: Json }> => {
  const at = await uploaded(call, file.name, file.text)
  const { proposed_mappings } = await call("POST", `${at}/preview`)
  const { import_run_id } = await call("POST", `${at}/execute`, { mappings: proposed_mappings })
  const run = await importEnded({ call }, import_run_id, {}, look)
  return { targets: proposed_mappings.flatMap(({ target_field }: Json) => target_field ?? []), run }
}
