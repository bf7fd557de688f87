// Fast queries on a million contacts: a view that can use indexes, indexes for search, sorting and custom fields, and a stored
// count.
import { migration, service_role, tenant } from "./Migration.ts"

/** The number of number and date fields of a workspace that get a column. */
export const number_columns_count = 12

const number_columns = Array.from({ length: number_columns_count }, (_, index) => `number_${index + 1}`)

/** The columns that searches of listings read. */
const searched = [
  "display_name_folded",
  "first_name_folded",
  "last_name_folded",
  "email_folded",
  "phone",
  "company_folded",
]

/** Every query scans the pending entries of such an index; this is their limit in kB. */
const pending = "with (gin_pending_list_limit = 1024)"

const texts = [
  "display_name",
  "first_name",
  "last_name",
  "company",
  "job_title",
  "email",
  "address",
  "address2",
  "city",
  "state",
  "zip_code",
  "country",
  "lead_status",
  "lifecycle_stage",
  "original_source",
  "original_source_detail",
]

/** All columns of a contact that conditions use. */
const shown = [
  "workspace_id",
  "contact_id",
  ...texts.flatMap((column) => [column, `${column}_folded`]),
  "email_normalized",
  "phone",
  "service_score",
  "unsubscribed",
  "marketing_email_subscribed",
  "marketing_sms_subscribed",
  "marketing_email_invalid",
  "custom_fields",
  "custom_fields_folded",
  "created_at",
  "updated_at",
  "last_activity_at",
  ...number_columns,
]

const sorted = ["display_name", "first_name", "last_name"]

export const audience = migration(
  // Both are trusted extensions: the owner of a database may create them.
  `create extension if not exists pg_trgm`,
  `create extension if not exists btree_gin`,

  // Free space on each page for a row's next version. Activities move `last_activity_at`, which is in no index, so they then write
  // to no index.
  `alter table contact set (fillfactor = 90)`,

  // Number columns, assigned to number and date fields of a workspace, so that comparisons need no JSON access and can use an
  // index. A field without a column (there are more fields than columns) is compared in the JSON.
  ...number_columns.map((column) => `alter table contact add ${column} double precision`),
  `alter table contact_field add number_column smallint check (number_column between 1 and ${number_columns_count})`,
  `create unique index contact_field_number on contact_field (workspace_id, number_column)`,
  `create function contact_number(fields jsonb, field text, type text) returns double precision
     language sql stable parallel safe
     return case type
       when 'number' then (fields ->> field)::double precision
       when 'date' then extract(epoch from (fields ->> field)::timestamptz)::double precision * 1000
     end`,
  `update contact_field f set number_column = ranked.place
     from (
       select workspace_id, field_definition_id,
         row_number() over (partition by workspace_id order by created_at, field_definition_id) as place
       from contact_field where value_type in ('number', 'date')
     ) as ranked
     where f.workspace_id = ranked.workspace_id and f.field_definition_id = ranked.field_definition_id
       and ranked.place <= ${number_columns_count}`,
  // One pass over the table, whatever the number of fields.
  `update contact c set ${number_columns
    .map((column, index) => `${column} = contact_number(c.custom_fields, names[${index + 1}], types[${index + 1}])`)
    .join(", ")}
   from (
     select w.workspace_id, array_agg(f.api_name order by place) as names, array_agg(f.value_type order by place) as types
     from workspace w
     cross join generate_series(1, ${number_columns_count}) as place
     left join contact_field f on f.workspace_id = w.workspace_id and f.number_column = place
     group by w.workspace_id
   ) as lent
   where lent.workspace_id = c.workspace_id and c.custom_fields <> '{}'`,
  ...number_columns.map(
    (column) => `create index contact_${column} on contact (workspace_id, ${column}) where ${column} is not null`,
  ),

  `create index contact_searched on contact using gin (workspace_id, ${searched.map((column) => `${column} gin_trgm_ops`).join(", ")}) ${pending}`,
  `create index contact_custom on contact using gin (workspace_id, custom_fields_folded jsonb_path_ops) ${pending}`,
  ...sorted.map((column) => `create index contact_${column} on contact (workspace_id, ${column}_folded, contact_id)`),

  // The fence as a view. Under row-level security a condition may use an index only if it is leak-proof, which LIKE and the JSON
  // operators are not, so a segment would read every row. A view without a security barrier returns the same rows and leaves the
  // planner free. Only the service writes conditions, so a leak has no receiver.
  `create view fenced_contact as
     select ${shown.join(", ")} from contact where workspace_id = nullif(current_setting('tentpole.workspace_id', true), '')::uuid`,
  `grant select on fenced_contact to ${service_role}`,

  // The number of contacts of a workspace, written by the statements that add and remove them. Spread over shards, so that two
  // transactions rarely wait for each other.
  `create table contact_tally (
     workspace_id uuid not null,
     shard smallint not null,
     contacts int not null,
     primary key (workspace_id, shard)
   )`,
  tenant("contact_tally"),
  `create function contact_tally_add() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       insert into contact_tally as t (workspace_id, shard, contacts)
       select workspace_id, pg_backend_pid() % 64, count(*)::int from moved group by workspace_id
       on conflict (workspace_id, shard) do update set contacts = t.contacts + excluded.contacts;
     else
       -- A workspace that goes takes its contacts along: what is left of its tally goes too.
       delete from contact_tally t using moved m
       where t.workspace_id = m.workspace_id and not exists (select from workspace w where w.workspace_id = m.workspace_id);
       insert into contact_tally as t (workspace_id, shard, contacts)
       select m.workspace_id, pg_backend_pid() % 64, -count(*)::int from moved m
       join workspace w on w.workspace_id = m.workspace_id
       group by m.workspace_id
       on conflict (workspace_id, shard) do update set contacts = t.contacts + excluded.contacts;
     end if;
     return null;
   end $$`,
  `create trigger contact_tally_insert after insert on contact referencing new table as moved
     for each statement execute function contact_tally_add()`,
  `create trigger contact_tally_delete after delete on contact referencing old table as moved
     for each statement execute function contact_tally_add()`,
  `insert into contact_tally (workspace_id, shard, contacts)
     select workspace_id, 0, count(*)::int from contact group by workspace_id`,
)
