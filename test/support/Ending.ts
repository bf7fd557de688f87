// Ending: stops processes, servers and folders in any case, in reverse order.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export class Ending {
  /** Runs a program; what it started ends with it, also after a failure or Ctrl-C. */
  static async during(program: (ending: Ending) => Promise<void>): Promise<void> {
    const ending = new Ending()
    const leave = () => void ending.all().then(() => process.exit(130))
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave)
    try {
      await program(ending)
    } catch (error) {
      if (!ending.begun) console.error(error)
      process.exitCode = 1
    } finally {
      await ending.all()
    }
  }

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
