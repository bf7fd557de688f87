// A process of the simulation, which may die between any two steps. Calls of a dead process never return, and its open transaction
// is rolled back.
import { type StateRef, MemoryDatabase, Open, type Rows } from "@tentpole/adapters/memory/kernel/MemoryDatabase"
import * as MemoryTransactor from "@tentpole/adapters/memory/kernel/Transactor"
import { type Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"

class Died extends Error {
  override readonly name = "Died"
}

export class Process {
  readonly name: string
  alive = true
  steps = 0
  /** The step at which the process dies. */
  #last: number

  constructor(name: string, last = Number.POSITIVE_INFINITY) {
    this.name = name
    this.#last = last
  }

  kill(): void {
    this.alive = false
  }

  /** Runs between any two effects of the process. */
  readonly step: Effect.Effect<void> = Effect.flatMap(Open, (open) =>
    Effect.suspend(() => {
      if (this.alive && ++this.steps >= this.#last) this.kill()
      if (this.alive) return Effect.void
      return open === undefined ? Effect.never : Effect.die(new Died())
    }),
  )

  /** The world's database for this process. */
  database(world: MemoryDatabase["Service"]): Layer.Layer<MemoryDatabase> {
    const guarded =
      <Args extends ReadonlyArray<unknown>, A>(operation: (...args: Args) => Effect.Effect<A>) =>
      (...args: Args): Effect.Effect<A> =>
        Effect.andThen(this.step, operation(...args))
    const rows: Rows = {
      all: (table, workspace) => Effect.andThen(this.step, world.all(table, workspace)),
      find: (table, workspace, id) => Effect.andThen(this.step, world.find(table, workspace, id)),
      get: (table, workspace, id, resource) => Effect.andThen(this.step, world.get(table, workspace, id, resource)),
      put: guarded(world.put),
      remove: guarded(world.remove),
      removeWhere: (table, workspace, holds) => Effect.andThen(this.step, world.removeWhere(table, workspace, holds)),
    }
    const { root, one }: { readonly root: StateRef; readonly one: MemoryDatabase["Service"]["one"] } = world
    return Layer.succeed(MemoryDatabase, MemoryDatabase.of({ ...rows, root, one }))
  }

  /** Transactions of this process: if it dies in the middle, they write nothing and never return. */
  readonly transactor = Layer.effect(
    Transactor,
    Effect.map(Transactor, (inner) => {
      const transact = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Transaction>> =>
        this.step.pipe(
          Effect.andThen(inner.transact(body)),
          Effect.tap(() => (this.alive ? Effect.void : Effect.never)),
          Effect.catchDefect((defect) => (this.alive ? Effect.die(defect) : Effect.never)),
        )
      return Transactor.of({ transact })
    }),
  ).pipe(Layer.provide(MemoryTransactor.layer))
}
