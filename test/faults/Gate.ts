// A gate in the database: whoever updates a row of a table so that a condition holds waits in front of it, in the middle of
// the transaction, until it is opened or the waiting one is killed.
import type { Inside } from "../support/Inside.ts"
import { until } from "../support/Service.ts"

/** `condition` is said of `new`: `new.status = 'completed'`. */
export interface GateOptions {
  readonly table: string
  readonly condition: string
}

export class Gate {
  readonly #inside: Inside
  readonly #table: string

  private constructor(inside: Inside, table: string) {
    this.#inside = inside
    this.#table = table
  }

  /** Closed from the beginning. */
  static async close(inside: Inside, { table, condition }: GateOptions): Promise<Gate> {
    await inside.asOwner("create table if not exists closed_gate (name text primary key)")
    await inside.asOwner("grant select on closed_gate to public")
    await inside.asOwner("insert into closed_gate values ($1)", [table])
    await inside.asOwner(`
      create or replace function wait_at_gate() returns trigger language plpgsql as $$
        begin
          while exists (select from closed_gate where name = tg_table_name) loop perform pg_sleep(0.01); end loop;
          return new;
        end $$`)
    await inside.asOwner(`create or replace trigger zz_gate before update on ${table}
      for each row when (${condition}) execute function wait_at_gate()`)
    return new Gate(inside, table)
  }

  /** Waits until somebody stands in front of it. */
  async reached(): Promise<void> {
    await until(
      `somebody to reach the gate at ${this.#table}`,
      async () => {
        const [row] = await this.#inside.asOwner<{ count: number }>(
          "select count(*)::int as count from pg_stat_activity where wait_event = 'PgSleep'",
        )
        return (row?.count ?? 0) > 0
      },
      { every_ms: 10, within_ms: 120_000 },
    )
  }

  async open(): Promise<void> {
    await this.#inside.asOwner("delete from closed_gate where name = $1", [this.#table])
    await until("those who waited to go", async () => {
      const [row] = await this.#inside.asOwner<{ count: number }>(
        "select count(*)::int as count from pg_stat_activity where wait_event = 'PgSleep'",
      )
      return row?.count === 0
    })
    await this.#inside.asOwner(`drop trigger zz_gate on ${this.#table}`)
  }
}
