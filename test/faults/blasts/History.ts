// The history of every delivery, written by a trigger. It shows violations that the final rows hide, as two claims at once.
import type { Inside } from "../../support/Inside.ts"

export const keepHistory = async (inside: Inside): Promise<void> => {
  await inside.asOwner(`
    create table delivery_history (
      nth bigserial primary key, delivery_id uuid not null, blast_id uuid not null, was text not null, became text not null,
      token_was bigint, token bigint, at timestamptz not null)`)
  await inside.asOwner("create index on delivery_history (blast_id, delivery_id, nth)")
  // The end of a message deletes its row of the queue and writes the state of the delivery, in one statement.
  await inside.asOwner(`
    create function write_history() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        if tg_op = 'DELETE' then
          insert into delivery_history (delivery_id, blast_id, was, became, token_was, token, at)
          select old.delivery_id, old.blast_id, old.state, d.state, old.token, d.token, clock_timestamp()
          from delivery d where d.workspace_id = old.workspace_id and d.delivery_id = old.delivery_id;
        else
          insert into delivery_history (delivery_id, blast_id, was, became, token_was, token, at)
          values (new.delivery_id, new.blast_id, old.state, new.state, old.token, new.token, clock_timestamp());
        end if;
        return null;
      end $$`)
  await inside.asOwner(`
    create trigger delivery_history after update on delivery_queue for each row
      when (old.state is distinct from new.state or old.token is distinct from new.token)
      execute function write_history()`)
  await inside.asOwner(
    "create trigger delivery_history_end after delete on delivery_queue for each row execute function write_history()",
  )
  await inside.asOwner(`
    create trigger delivery_history after update on delivery for each row
      when (old.state <> 'queued' and (old.state <> new.state or old.token is distinct from new.token))
      execute function write_history()`)
}

/** The transitions of core's delivery machine. */
const moves: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["queued", ["claimed", "blocked", "failed"]],
  ["claimed", ["queued", "handed_over", "blocked", "failed"]],
  ["handed_over", ["queued", "sent", "failed", "unconfirmed"]],
  ["unconfirmed", ["sent", "failed"]],
]

const allowed = moves.flatMap(([was, all]) => all.map((became) => `('${was}', '${became}')`)).join(", ")

/** Violations in the history of a blast. */
export const historyFaults = async (inside: Inside, blast: string): Promise<ReadonlyArray<string>> => {
  const count = async (what: string, statement: string): Promise<ReadonlyArray<string>> => {
    const [row] = await inside.asOwner<{ count: number }>(
      `select count(*)::int as count from (${statement}) as found`,
      [blast],
    )
    return row === undefined || row.count === 0 ? [] : [`${what}: ${row.count} times`]
  }
  const found = await Promise.all([
    count(
      "a claim's token was not above all earlier ones of its delivery (I6)",
      `select 1 from delivery_history h where blast_id = $1::uuid and became = 'claimed' and exists (
          select from delivery_history e
          where e.blast_id = h.blast_id and e.delivery_id = h.delivery_id and e.nth < h.nth and e.token >= h.token)`,
    ),
    count(
      "a delivery was handed over under another claim than its own (I6)",
      `select 1 from delivery_history
        where blast_id = $1::uuid and became = 'handed_over' and (was <> 'claimed' or token_was is distinct from token)`,
    ),
    count(
      "a delivery had a transition that the state machine does not have",
      `select 1 from delivery_history where blast_id = $1::uuid and (was, became) not in (${allowed})`,
    ),
    count(
      "a delivery is unconfirmed without an intent (I4)",
      `select 1 from delivery d where d.blast_id = $1::uuid and d.state = 'unconfirmed' and not exists (
        select from delivery_history h
        where h.blast_id = d.blast_id and h.delivery_id = d.delivery_id and h.became = 'handed_over')`,
    ),
  ])
  return found.flat()
}
