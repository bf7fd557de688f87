// Ending: stops processes, servers and folders in any case, in reverse order.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export class Ending {
  readonly #acts: Array<() => Promise<unknown>> = []
  #ended: Promise<void> | undefined

  /** Whether the end has begun; later errors are ignored. */
  get begun(): boolean {
    return this.#ended !== undefined
  }

  /** Calls `act` at the end; at once if the end has begun. */
  async with(act: () => Promise<unknown>): Promise<void> {
    if (this.begun) await act()
    else this.#acts.push(act)
  }

  /** A temporary folder, which is removed at the end. */
  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "tentpole-test-"))
    await this.with(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  all(): Promise<void> {
    return (this.#ended ??= this.#endAll())
  }

  async leave(code: number): Promise<never> {
    await this.all()
    process.exit(code)
  }

  async #endAll(): Promise<void> {
    for (let act = this.#acts.pop(); act !== undefined; act = this.#acts.pop()) {
      try {
        await act()
      } catch (error) {
        // The others must be stopped, too.
        console.error(error)
      }
    }
  }
}
