-- Traffic of published pages: single views, visitors of a day, and daily sums, so that analytics read no single views.

create table page_view (
  workspace_id uuid not null,
  tent_id uuid not null,
  at timestamptz not null,
  view_id uuid not null default uuid_v7(),
  country text not null, device text not null, browser text not null, os text not null, referrer text not null,
  constraint page_view_pkey primary key (workspace_id, tent_id, at, view_id)
) partition by range (at);
-- The newest views of a workspace. Those of one tent follow the primary key.
create index page_view_newest on page_view (workspace_id, at desc);
create table page_view_rest partition of page_view default;
insert into table_retention (relation, step, age_column, days_min) values ('page_view', 'day', 'at', 7);
select tentpole_partitions('page_view');
comment on table page_view is 'Views of pages, in a partition for each day (UTC).';

create table page_visitor_day (
  workspace_id uuid not null constraint page_visitor_day_workspace_fkey references workspace on delete cascade,
  tent_id uuid not null,
  day date not null,
  visitor bytea not null,
  constraint page_visitor_day_pkey primary key (workspace_id, tent_id, day, visitor)
) partition by range (day);
create table page_visitor_day_rest partition of page_visitor_day default;
insert into table_retention (relation, step, age_column, days_min) values ('page_visitor_day', 'day', 'day', 1);
select tentpole_partitions('page_visitor_day');
comment on table page_visitor_day is 'Visitors of a tent on a day, in a partition for each day (UTC).';
comment on column page_visitor_day.visitor is 'A hash whose salt is deleted after the day.';

create table workspace_visitor_day (
  workspace_id uuid not null constraint workspace_visitor_day_workspace_fkey references workspace on delete cascade,
  day date not null,
  visitor bytea not null,
  constraint workspace_visitor_day_pkey primary key (workspace_id, day, visitor)
) partition by range (day);
create table workspace_visitor_day_rest partition of workspace_visitor_day default;
insert into table_retention (relation, step, age_column, days_min) values ('workspace_visitor_day', 'day', 'day', 1);
select tentpole_partitions('workspace_visitor_day');
comment on table workspace_visitor_day is
  'Visitors of a workspace on a day, in a partition for each day (UTC). A visitor of two tents is one visit of the workspace.';

-- Sums are updated often: free space on each page keeps the updates out of the indexes.
create table page_view_day (
  workspace_id uuid not null constraint page_view_day_workspace_fkey references workspace on delete cascade,
  tent_id uuid not null,
  day date not null,
  dimension text not null
    constraint page_view_day_dimension_known
      check (dimension in ('all', 'visits', 'submissions', 'country', 'device', 'browser', 'os', 'referrer')),
  value text collate "C" not null,
  views int not null,
  constraint page_view_day_pkey primary key (workspace_id, tent_id, day, dimension, value)
) with (fillfactor = 70);
-- The tents with the most views in a range of days, without reading other dimensions.
create index page_view_day_tents on page_view_day (workspace_id, day, tent_id) where dimension in ('all', 'visits');
create index page_view_day_age on page_view_day using brin (day);
insert into table_retention (relation, age_column, days_min) values ('page_view_day', 'day', 400);
comment on table page_view_day is 'Views of a tent on a day.';
comment on column page_view_day.dimension is
  'all: all views; visits: different visitors; submissions: of forms; otherwise views by their value, such as a country.';

create table workspace_view_day (
  workspace_id uuid not null constraint workspace_view_day_workspace_fkey references workspace on delete cascade,
  day date not null,
  dimension text not null
    constraint workspace_view_day_dimension_known
      check (dimension in ('all', 'visits', 'submissions', 'country', 'device', 'browser', 'os', 'referrer')),
  value text collate "C" not null,
  views int not null,
  constraint workspace_view_day_pkey primary key (workspace_id, day, dimension, value)
) with (fillfactor = 70);
create index workspace_view_day_age on workspace_view_day using brin (day);
insert into table_retention (relation, age_column, days_min) values ('workspace_view_day', 'day', 400);
comment on table workspace_view_day is 'Views of all tents of a workspace on a day, with the dimensions of `page_view_day`.';

create table visitor_salt (
  day date not null,
  salt bytea not null,
  constraint visitor_salt_pkey primary key (day)
);
insert into table_retention (relation, age_column, days_min) values ('visitor_salt', 'day', 1);
comment on table visitor_salt is
  'The salt of the hashes of visitors, one a day for all workspaces (their ids are part of the hash), deleted after its day.';

create table traffic_batch (
  workspace_id uuid not null constraint traffic_batch_workspace_fkey references workspace on delete cascade,
  batch_id uuid not null,
  at timestamptz not null,
  constraint traffic_batch_pkey primary key (workspace_id, batch_id)
);
-- For housekeeping: batches are in the order of arrival.
create index traffic_batch_age on traffic_batch using brin (at);
insert into table_retention (relation, age_column, days_min) values ('traffic_batch', 'at', 1);
comment on table traffic_batch is 'Batches of views that were written, so that a repeated batch is not counted twice.';
