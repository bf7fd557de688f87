// The clock of the campaign's database and workers, which can be moved forward by days. Members wait by the database's clock;
// workers write times of their own clock.
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Database } from "../Database.ts"

/** Renames the real clock function in the catalogue and puts a shifted one in its place. */
const statements: ReadonlyArray<string> = [
  "create table moved_clock (by interval not null)",
  "insert into moved_clock values ('0')",
  "grant select on moved_clock to public",
  "alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp",
  `create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
     as 'select pg_catalog.real_clock_timestamp() + (select by from public.moved_clock)'`,
]

export class MovedClock {
  readonly #database: Database
  #moved_ms = 0

  private constructor(database: Database) {
    this.#database = database
  }

  static async of(database: Database): Promise<MovedClock> {
    await database.asSuperuser(statements)
    return new MovedClock(database)
  }

  /** The shift that a new worker starts with. */
  get moved_ms(): number {
    return this.#moved_ms
  }

  get now_ms(): number {
    return Date.now() + this.#moved_ms
  }

  /** Workers first: no member is due by their clock. */
  async move(by_ms: number, workers: Iterable<ServiceProcess>): Promise<void> {
    this.#moved_ms += Math.ceil(by_ms)
    for (const worker of workers) worker.send({ clock_moved_ms: this.#moved_ms })
    await this.#database.asSuperuser([`update moved_clock set by = interval '${this.#moved_ms} ms'`])
  }
}
