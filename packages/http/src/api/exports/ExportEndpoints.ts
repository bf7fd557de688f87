// The endpoints that start and follow an export of contacts.
import { ExportId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { ExportBegun, FollowedExport } from "./ExportWire.ts"

export const exportEndpoints = <
  const Path extends `/${string}`,
  Params extends Schema.Struct.Fields,
  Begin extends Schema.Top,
>({
  path,
  params,
  payload,
  exported,
}: {
  readonly path: Path
  readonly params: Params
  readonly payload: Begin
  /** What the file contains: `a blast's recipients`. */
  readonly exported: string
}) =>
  [
    Endpoint.post("begin", path, {
      summary: `Export ${exported}`,
      description: `Starts to write ${exported} to a CSV file. Poll the export until it is completed.`,
      params,
      payload: [payload, Schema.Undefined],
      success: ExportBegun,
      errors: ["not_found"],
    }),
    Endpoint.get("find", `${path}/:exportId`, {
      summary: `Get an export of ${exported}`,
      description:
        "Returns the progress of the export. When it is completed, each call returns a new signed `download_url` that is valid for an hour. The file is deleted after 24 hours.",
      params: { ...params, exportId: ExportId },
      success: FollowedExport,
      errors: ["not_found", "unavailable"],
    }),
  ] as const
