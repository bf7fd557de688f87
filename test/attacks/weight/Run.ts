// Runs the campaign of inputs at their maximum size.
import { startVitest } from "vitest/node"

export interface RunOptions {
  readonly quick: boolean
  /** The text that the lines of the inputs have. */
  readonly only: string
  readonly parts: ReadonlyArray<string>
}

export const weigh = async ({ only, parts, quick }: RunOptions): Promise<void> => {
  process.env["WEIGHT"] = quick ? "quick" : "full"
  process.env["WEIGHT_ONLY"] = only
  if (parts.length > 0) process.env["WEIGHT_PARTS"] = parts.join()
  const campaign = await startVitest(["test/attacks/weight/campaign.test.ts"], { run: true })
  await campaign.close()
}
