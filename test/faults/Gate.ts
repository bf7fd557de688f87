// Gate: a trigger that makes a transaction wait, at a write or in its COMMIT, until the gate is opened or the session is
// killed.
import { Data } from "effect"
import type { Inside } from "../support/Inside.ts"
import { until } from "../support/Service.ts"

/** `condition` is about the row `new`: `new.status = 'completed'`. */
export interface GateOptions {
  readonly table: string
  readonly condition: string
  /** Where the transaction waits; the default is the write. In its COMMIT, only the answer is missing. */
  readonly at?: "update" | "commit"
  /** Default: an update. */
  readonly write?: "update" | "insert"
}

/** A session that waits at a gate. */
export interface Waiting {
  readonly pid: number
  /** The port of the client. */
  readonly port: number
}

/** Gates that are closed. */
const closed = new Set<Gate>()

export class Gate extends Data.Class<{ readonly inside: Inside; readonly table: string }> {
  static async close(
    inside: Inside,
    { table, condition, at = "update", write = "update" }: GateOptions,
  ): Promise<Gate> {
    await inside.asOwner("create table if not exists closed_gate (name text primary key)")
    await inside.asOwner("grant select on closed_gate to public")
    await inside.asOwner("insert into closed_gate values ($1)", [table])
    await inside.asOwner(`
      create or replace function wait_at_gate() returns trigger language plpgsql as $$
        begin
          while exists (select from closed_gate where tg_table_name like name || '%') loop perform pg_sleep(0.01); end loop;
          return new;
        end $$`)
    const [kind, timing] =
      at === "update"
        ? ["trigger zz_gate before", ""]
        : ["constraint trigger zz_gate after", "deferrable initially deferred"]
    await inside.asOwner(
      `create ${kind} ${write} on ${table} ${timing} for each row when (${condition}) execute function wait_at_gate()`,
    )
    const gate = new Gate({ inside, table })
    closed.add(gate)
    return gate
  }

  /** Waits until a session is at the gate; returns all that are. */
  reached(): Promise<ReadonlyArray<Waiting>> {
    return until(
      `a session to reach the gate at ${this.table}`,
      async () => {
        const waiting = await this.#waiting()
        return waiting.length > 0 && waiting
      },
      { every_ms: 10, within_ms: 120_000 },
    )
  }

  /** Ends the sessions at the gate, whose client is dead: PostgreSQL would notice only when they continue. */
  async endWaiting(): Promise<void> {
    for (const { pid } of await this.#waiting()) await this.inside.asOwner("select pg_terminate_backend($1)", [pid])
  }

  /** Opens the gates that a failed scenario has left closed. */
  static async openAll(): Promise<void> {
    for (const gate of closed) await gate.open()
  }

  async open(): Promise<void> {
    closed.delete(this)
    await this.inside.asOwner("delete from closed_gate where name = $1", [this.table])
    await until("the waiting sessions to continue", async () => (await this.#waiting()).length === 0)
    await this.inside.asOwner(`drop trigger zz_gate on ${this.table}`)
  }

  #waiting(): Promise<ReadonlyArray<Waiting>> {
    return this.inside.asOwner<Waiting>(
      `select pid, client_port as port from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'`,
    )
  }
}
