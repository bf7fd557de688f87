// A temporary folder for the files of a campaign.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Ending } from "../support/Ending.ts"

/** Removed at the end. */
export const temporaryFolder = async (ending: Ending): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tentpole-faults-"))
  await ending.with(() => rm(folder, { recursive: true, force: true }))
  return folder
}
