// What must be ended whatever happens: processes, servers, folders. The last one begun ends first.
export class Ending {
  readonly #acts: Array<() => Promise<unknown>> = []
  #ended: Promise<void> | undefined

  /** Whether the end has come: what breaks off then is no failure. */
  get begun(): boolean {
    return this.#ended !== undefined
  }

  /** Ends it when all ends; at once, if all has ended already. */
  async with(act: () => Promise<unknown>): Promise<void> {
    if (this.begun) await act()
    else this.#acts.push(act)
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
        // The others must end too.
        console.error(error)
      }
    }
  }
}
