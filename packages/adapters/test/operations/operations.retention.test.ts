// Retention on PostgreSQL: whole months of activities, whole days of events, audit entries, completed jobs. The service can't
// delete anything younger than the minimum.
import { PgClient } from "@effect/sql-pg"
import { commonSettings } from "@tentpole/core/kernel/Settings"
import { Maintenance } from "@tentpole/core/ports/Maintenance"
import { Fresh, webhookWorld } from "@tentpole/core/contract"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ownPostgres } from "../fixtures/Stores.ts"
import { asSuperuser } from "../support/Superuser.ts"

const names = (statement: string) =>
  Effect.map(asSuperuser(statement), (rows) => rows.map((row) => Object.values(row)[0]))

layer(ownPostgres, { excludeTestServices: true })("retention", (it) => {
  it.effect("a month of activities is deleted when its last day is old enough", () =>
    Effect.gen(function* () {
      const { run } = yield* Maintenance
      yield* asSuperuser(`do $$
        declare first date;
        begin
          foreach first in array array[date '2021-03-01', (date_trunc('month', now() - interval '100 days'))::date] loop
            execute format('create table activity_%s partition of activity for values from (%L) to (%L)',
              to_char(first, 'YYYY_MM'), first || ' 00:00+00', (first + interval '1 month')::date || ' 00:00+00');
            execute format('alter table activity_%s owner to %I', to_char(first, 'YYYY_MM'),
              (select tableowner from pg_tables where tablename = 'activity'));
          end loop;
        end $$`)
      const months = names(
        "select inhrelid::regclass::text from pg_inherits where inhparent = 'activity'::regclass order by 1",
      )
      const before = yield* months
      assert.include(before, "activity_2021_03")
      yield* run({ ...commonSettings.retention, activity_days: 150 })
      assert.deepStrictEqual(
        yield* months,
        before.filter((name) => name !== "activity_2021_03"),
      )
    }),
  )

  it.effect("days of events stay while an enabled webhook endpoint is behind them, for 30 days at most", () =>
    Effect.gen(function* () {
      const { create, disable, workspace } = yield* webhookWorld
      const { run } = yield* Maintenance
      const endpoint = yield* create()
      yield* asSuperuser(`do $$
        declare
          day date;
          ago int;
        begin
          -- Twelve days ago there was no partition.
          foreach ago in array array[40, 12, 11, 10] loop
            day := (now() at time zone 'UTC')::date - ago;
            if ago <> 12 then
              execute format('create table outbox_event_%s partition of outbox_event for values from (%L) to (%L)',
                to_char(day, 'YYYY_MM_DD'), day || ' 00:00+00', day + 1 || ' 00:00+00');
              execute format('alter table outbox_event_%s owner to %I', to_char(day, 'YYYY_MM_DD'),
                (select tableowner from pg_tables where tablename = 'outbox_event'));
            end if;
            insert into outbox_event (workspace_id, position, recorded_at, type, at, data)
            values ('${workspace}', 100 - ago, day + time '12:00', 'x', now(), '{}');
          end loop;
        end $$`)
      const days = names("select (100 - position)::text as ago from outbox_event where type = 'x' order by position")
      yield* run(commonSettings.retention)
      assert.deepStrictEqual(yield* days, ["12", "11", "10"])
      yield* asSuperuser(`update webhook_reader set position = 89 where endpoint_id = '${endpoint.id}'`)
      yield* run(commonSettings.retention)
      assert.deepStrictEqual(yield* days, ["10"])
      yield* disable(endpoint)
      yield* run(commonSettings.retention)
      assert.deepStrictEqual(yield* days, [])
    }),
  )

  it.effect("audit entries are deleted after their days, and never within a year", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { run } = yield* Maintenance
      const workspace = yield* (yield* Fresh).workspace()
      yield* asSuperuser(`
        insert into audit_entry (entry_id, at, actor, workspace_id, action, target, details)
        select gen_random_uuid(), now() - make_interval(days => age), 'cli', '${workspace}', 'workspace.updated', age::text, '{}'
        from unnest(array[1, 399, 401]) as age`)
      yield* run({ ...commonSettings.retention, audit_days: 400 })
      const left = names(`select target from audit_entry where workspace_id = '${workspace}' order by 1`)
      assert.deepStrictEqual(yield* left, ["1", "399"])
      for (const statement of ["tentpole_delete_old('audit_entry', 364)", "tentpole_delete_old('activity', 29)"]) {
        assert.strictEqual((yield* Effect.exit(sql.unsafe(`select ${statement}`)))._tag, "Failure", statement)
      }
      assert.deepStrictEqual(yield* left, ["1", "399"])
    }),
  )

  it.effect("jobs completed a month ago are deleted; dead and waiting jobs stay", () =>
    Effect.gen(function* () {
      const { run } = yield* Maintenance
      yield* asSuperuser(`
        insert into jobs.job_queue (id, workspace_id, type, payload, updated_at, state)
        select state || age, gen_random_uuid(), 'blast_start', '{}', now() - make_interval(days => age), state
        from unnest(array[29, 31]) as age, unnest(array['completed', 'dead', 'later', 'ready']) as state`)
      yield* run(commonSettings.retention)
      assert.deepStrictEqual(yield* names("select id from jobs.job_queue order by id"), [
        "completed29",
        "dead29",
        "dead31",
        "later29",
        "later31",
        "ready29",
        "ready31",
      ])
    }),
  )
})
